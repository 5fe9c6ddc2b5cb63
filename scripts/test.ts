/** `npm test [-- vitest arguments]`: installs what the suites need, builds, runs every test, counts. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adviceFor, installPrograms } from './programs.ts'
import { attach, build } from './run.ts'
import { noTotals, type Totals, TOTALS_FILE } from './totals-reporter.ts'

const BUILT = '--built'
const args = process.argv.slice(2)
const missing = await installPrograms()
for (const program of missing) console.error(adviceFor(program))

// A machine that guards the main branch must not pass by skipping.
const mayRun = missing.length === 0 || !process.env['CI']
const totals = mayRun && (args.includes(BUILT) || (await build())) ? await runTests() : undefined
const { passed, failed, skipped, skippedSuites, secondTries, slowest } = totals ?? { ...noTotals(), failed: 1 }

if (skippedSuites.length > 0) {
  console.log('Skipped suites:')
  for (const suite of skippedSuites) console.log(`  ${suite}`)
  for (const program of missing) console.log(`  because: ${adviceFor(program)}`)
}
if (process.env['CI']) {
  console.log('The slowest files:')
  for (const { file, seconds } of slowest) console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${file}`)
}
if (secondTries.length > 0) {
  console.log('Passed at the second try, and deserve a look:')
  for (const test of secondTries) console.log(`  ${test}`)
}
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

async function runTests(): Promise<Totals | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-totals-'))
  const file = join(folder, 'totals.json')
  process.env[TOTALS_FILE] = file
  process.env['SDK_TEST_BUILT'] = 'yes'
  try {
    const reporters = ['--reporter=default', '--reporter=./scripts/totals-reporter.ts']
    const code = await attach('vitest', ['run', ...reporters, ...args.filter((arg) => arg !== BUILT)])
    const counted = readTotals(file)
    // Whatever vitest calls a failure is one, even where no test is to blame.
    return counted && code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readTotals(file: string): Totals | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Totals
  } catch {
    return undefined // vitest ended before it could write one
  }
}
