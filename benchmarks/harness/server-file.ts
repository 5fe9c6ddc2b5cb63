import { join, resolve } from 'node:path'

/** Another checkout of this repository, built: its server is measured in the same run, as `before`. */
const BEFORE = process.env['BENCH_BEFORE']

/** Names of the servers from the other checkout, if there is one. */
export function serversBefore(...names: readonly string[]): readonly string[] {
  return BEFORE === undefined ? [] : names
}

/** Returns the module of a server of a benchmark: `benchmarks/http/sdk.mjs`, here or in the other checkout. */
export function serverFile(benchmark: string, name: string): string {
  if (!name.startsWith('before')) return join(import.meta.dirname, '..', benchmark, `${name}.mjs`)
  return join(resolve(BEFORE ?? '.'), 'benchmarks', benchmark, 'sdk.mjs')
}
