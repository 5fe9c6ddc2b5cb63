/**
 * `npm run faults [-- NAME-PART …] [--skip-clean] [--verbose]`: plants one bug after another in the sources, and checks
 * that the tests find it. Runs the tests without a bug first, unless `--skip-clean` is given. `--verbose` prints the
 * test that found each bug.
 */
import { parseArgs, styleText } from 'node:util'
import { findObstacles, type Fault, plant } from './faults/fault.ts'
import { FAULTS } from './faults/list.ts'
import { runVitest, type TestRun } from './faults/run-vitest.ts'

const VERDICTS: Record<TestRun['outcome'], string> = {
  failed: styleText('green', 'found '),
  passed: styleText('red', 'MISSED'),
  broken: styleText('red', 'BROKEN'),
}

const { values, positionals } = parseArgs({
  options: {
    'skip-clean': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const chosen = FAULTS.filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)))

// A signal ends the test run, see `attach`. Then the file is restored, and no further fault is introduced.
let isStopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (isStopped = true))
const parent = process.ppid

process.exitCode = (await check(chosen)) ? 0 : 1

async function check(faults: readonly Fault[]): Promise<boolean> {
  const obstacles = faults.length === 0 ? ['no fault has such a name'] : findObstacles(faults)
  for (const obstacle of obstacles) console.error(obstacle)
  if (obstacles.length > 0) return false
  if (!values['skip-clean'] && !(await passesWithoutFault(faults))) return false
  let found = 0
  for (const fault of faults) {
    if (await isFound(fault)) found++
    if (wasStopped()) return false
  }
  console.log(`\n${found} of ${faults.length} found`)
  return found === faults.length
}

/**
 * Runs all test files without a fault. A file without a passing test, for example without a database, cannot find any.
 */
async function passesWithoutFault(faults: readonly Fault[]): Promise<boolean> {
  const files = [...new Set(faults.flatMap(({ tests }) => tests))]
  const { outcome, passedFiles, failures, output, seconds } = await runVitest(files)
  if (wasStopped()) return false
  const silent = files.filter((file) => !passedFiles.includes(file))
  for (const failure of failures) console.error(failure)
  for (const file of silent) console.error(`no test in ${file} passed`)
  if (outcome === 'broken') console.error(output)
  if (outcome !== 'passed' || silent.length > 0) return false
  console.log(`clean  ${toTime(seconds)}  ${files.length} test files pass without a fault`)
  return true
}

async function isFound(fault: Fault): Promise<boolean> {
  const restore = plant(fault)
  try {
    const { outcome, failures, output, seconds } = await runVitest(fault.tests, ['--bail=1'])
    if (wasStopped()) return false
    console.log(`${VERDICTS[outcome]} ${toTime(seconds)}  ${fault.name}`)
    if (values.verbose || outcome === 'broken')
      for (const failure of failures) console.log(`  ${failure.split('\n', 2).join(': ')}`)
    if (outcome === 'broken') console.error(output)
    return outcome === 'failed'
  } finally {
    restore()
  }
}

/** Returns whether a signal was received, or npm exited and left this process without a parent. */
function wasStopped(): boolean {
  return isStopped || process.ppid !== parent
}

function toTime(seconds: number): string {
  return `${seconds.toFixed(1).padStart(5)} s`
}
