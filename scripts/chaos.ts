/**
 * `npm run chaos [-- vitest arguments]`: tests servers and sockets under kills, cut connections, slow clients and
 * hostile requests, prints the full figures as a table, and tests the conformance of resources and auth on every
 * database. Also runs all other tests that have a longer version, and unit tests on all kinds of database.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attach, build } from './run.ts'

const PROJECTS = ['stores', 'suite', 'unit'].map((name) => `--project=${name}`)

const folder = mkdtempSync(join(tmpdir(), 'sdk-chaos-'))
const file = join(folder, 'rows.ndjson')
process.env['SDK_CHAOS'] = 'whole'
process.env['SDK_CHAOS_TABLE'] = file
try {
  // Some tests run the packages from `dist`.
  const isBuilt = await build()
  process.exitCode = !isBuilt ? 1 : await attach('vitest', ['run', ...PROJECTS, ...process.argv.slice(2)])
  if (existsSync(file)) console.table(toRows(readFileSync(file, 'utf8')))
} finally {
  rmSync(folder, { recursive: true })
}

/** Indexed by name, since `console.table` prints the index as the first column. */
function toRows(text: string): Record<string, object> {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string })
  return Object.fromEntries(rows.map(({ name, ...row }) => [name, row]))
}
