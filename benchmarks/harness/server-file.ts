import { join, resolve } from 'node:path'

/** Another built clone of this repository, whose server is measured in the same run as `before`. */
const BEFORE = process.env['BENCH_BEFORE']

/** The names of the servers from the other clone, if there is one. */
export function serversBefore(...names: readonly string[]): readonly string[] {
  return BEFORE === undefined ? [] : names
}

/** Returns the module of a server of a benchmark: `benchmarks/http/sdk.mjs`, in this clone or in the other one. */
export function serverFile(benchmark: string, name: string): string {
  if (!name.startsWith('before')) return join(import.meta.dirname, '..', benchmark, `${name}.mjs`)
  return join(resolve(BEFORE ?? '.'), 'benchmarks', benchmark, 'sdk.mjs')
}
