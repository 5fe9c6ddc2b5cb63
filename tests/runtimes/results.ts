import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RuntimeName } from './runtimes.ts'

/** The titles of the lines that passed, by runtime. `docs/reference/support.md` is generated from them. */
export type Results = Partial<Record<RuntimeName, readonly string[]>>

const FILE = join(import.meta.dirname, 'results.json')

/** Reads the results that `npm run matrix` recorded. */
export function readResults(): Results {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Results) : {}
}

/** Records the results of a runtime, if `npm run matrix` asks for them. */
export function recordResults(name: RuntimeName, passed: readonly string[]): void {
  if (process.env['SDK_TEST_RECORD'] === undefined) return
  writeFileSync(FILE, `${JSON.stringify({ ...readResults(), [name]: passed }, null, 2)}\n`)
}
