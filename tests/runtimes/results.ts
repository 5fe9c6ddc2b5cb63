import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RuntimeName } from './runtimes.ts'

/** The result of one line: it passed, or the reason why the runtime cannot keep the promise. */
export interface LineResult {
  readonly part: string
  readonly title: string
  readonly result: 'passed' | { readonly lacks: string }
}

/** The results by runtime. `docs/reference/support.md` is generated from them. */
export type Results = Partial<Record<RuntimeName, readonly LineResult[]>>

const FILE = join(import.meta.dirname, 'results.json')

/** Reads the results that `npm run matrix -- --runtimes` recorded. */
export function readResults(): Results {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Results) : {}
}

/** Records the results of a runtime, if the environment asks for them. */
export function recordResults(name: RuntimeName, results: readonly LineResult[]): void {
  if (process.env['SDK_TEST_RECORD'] === undefined) return
  writeFileSync(FILE, `${JSON.stringify({ ...readResults(), [name]: results }, null, 2)}\n`)
}
