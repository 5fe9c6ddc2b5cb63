/**
 * `npm test [-- vitest arguments]`: installs the programs that the suites need, builds, runs all tests and prints
 * totals.
 */
import { adviceFor, installPrograms } from './programs.ts'
import { build } from './run.ts'
import { runTests } from './run-tests.ts'
import { noTotals } from './totals-reporter.ts'

const BUILT = '--built'
const args = process.argv.slice(2)
const vitestArgs = args.filter((arg) => arg !== BUILT)
// In parallel, since apt-get mostly waits for the network and the disk.
const [missing, isBuilt] = await Promise.all([installPrograms(), args.includes(BUILT) || build()])
for (const program of missing) console.error(adviceFor(program))

// CI must not pass by skipping tests.
const mayRun = missing.length === 0 || !process.env['CI']
const totals = mayRun && isBuilt ? await runTests(vitestArgs) : undefined
const { passed, failed, skipped, skippedSuites, failures, secondTries, slowest } = totals ?? {
  ...noTotals(),
  failed: 1,
}

if (skippedSuites.length > 0) {
  console.log('Skipped suites:')
  for (const suite of skippedSuites) console.log(`  ${suite}`)
  for (const program of missing) console.log(`  reason: ${adviceFor(program)}`)
}
if (process.env['CI']) {
  console.log('Slowest files:')
  for (const { file, seconds } of slowest) console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${file}`)
}
if (secondTries.length > 0) {
  console.log('Flaky tests, passed only on the second attempt:')
  for (const test of secondTries) console.log(`  ${test}`)
}
if (failures.length > 0) {
  console.log('Failed tests:')
  for (const test of failures) console.log(`  ${test}`)
}
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
