/** `npm test [-- vitest arguments]`: installs what the suites need, builds, runs every test, counts. */
import { adviceFor, installPrograms } from './programs.ts'
import { build } from './run.ts'
import { runTests } from './run-tests.ts'
import { noTotals } from './totals-reporter.ts'

const BUILT = '--built'
const args = process.argv.slice(2)
const vitestArgs = args.filter((arg) => arg !== BUILT)
const missing = await installPrograms()
for (const program of missing) console.error(adviceFor(program))

// A machine that guards the main branch must not pass by skipping.
const mayRun = missing.length === 0 || !process.env['CI']
const totals = mayRun && (args.includes(BUILT) || (await build())) ? await runTests(vitestArgs) : undefined
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
