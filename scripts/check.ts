/**
 * `npm run check [-- --without-tests] [--built]`: the checks before a commit, in two parallel lanes. Prints only
 * failures. `--built` uses the packages as they are built.
 */
import { styleText } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { listLeftOut, QUICK_ARGUMENTS } from './quick-tests.ts'
import { capture, type Outcome } from './run.ts'

interface Step {
  readonly name: string
  /** The commands of package.json, run directly: npm would add half a second to each. */
  readonly command: string
  /** Reads `dist`, so it runs after the build. */
  readonly needsBuild?: true
}

interface Result extends Outcome {
  readonly name: string
}

const { scripts } = manifest
const BUILD: Step = { name: 'build', command: scripts.build }
const TESTS: Step = {
  name: 'tests',
  command: `${scripts.test} --built ${QUICK_ARGUMENTS.join(' ')}`,
  needsBuild: true,
}
const OTHERS: readonly Step[] = [
  { name: 'format', command: scripts['format:check'] },
  { name: 'lint', command: scripts.lint },
  { name: 'unused', command: scripts.unused },
  { name: 'types', command: scripts.types },
  { name: 'size', command: scripts.size, needsBuild: true },
]
/** Runs only without the tests, which install the packages. */
const PACKAGES: Step = { name: 'packages', command: scripts.packages, needsBuild: true }

const withoutTests = process.argv.includes('--without-tests')
const started = performance.now()
const built: Result = { name: BUILD.name, code: 0, output: '', seconds: 0 }
const build = process.argv.includes('--built') ? Promise.resolve(built) : runStep(BUILD)
const results = [
  await Promise.all([
    build,
    withoutTests ? [] : runLane([TESTS]),
    runLane(withoutTests ? [...OTHERS, PACKAGES] : OTHERS),
  ]),
].flat(2)
const failures = results.filter(({ code }) => code !== 0)

for (const { name, output } of failures) console.log(`\n${styleText('red', `── ${name} `.padEnd(60, '─'))}\n${output}`)
console.log()
for (const { name, code, seconds } of results) {
  const verdict = code === 0 ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
  console.log(`  ${name.padEnd(10)} ${verdict} ${seconds.toFixed(1).padStart(6)} s`)
}
console.log(`  ${'total'.padEnd(17)} ${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s`)
const tests = results.find(({ name }) => name === TESTS.name)
if (tests) {
  console.log('\nSkipped here; npm test runs them:')
  for (const name of listLeftOut()) console.log(`  ${name}`)
  console.log(`\n${tests.output.trimEnd().split('\n').at(-1)}`)
}
process.exitCode = failures.length > 0 ? 1 : 0

async function runLane(steps: readonly Step[]): Promise<Result[]> {
  const done: Result[] = []
  for (const step of steps) {
    const isReady = !step.needsBuild || (await build).code === 0
    done.push(isReady ? await runStep(step) : { name: step.name, code: 1, seconds: 0, output: 'not run: no build\n' })
  }
  return done
}

async function runStep({ name, command }: Step): Promise<Result> {
  return { name, ...(await capture(command)) }
}
