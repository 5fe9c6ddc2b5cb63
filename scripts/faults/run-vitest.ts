import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { JsonTestResults } from 'vitest/reporters'
import { attach } from '../run.ts'

/** The result of a run of test files. */
export interface TestRun {
  /**
   * `broken`: the run failed for a reason other than a failing test, for example because a file could not be loaded.
   */
  readonly outcome: 'passed' | 'failed' | 'broken'
  /** The files with at least one passing test. */
  readonly passedFiles: readonly string[]
  /** The failed tests and the files that could not be loaded, with their messages. */
  readonly failures: readonly string[]
  /** The output of vitest. */
  readonly output: string
  readonly seconds: number
}

/** The projects that can read the sources and need no build. Each test file is in at most one of them. */
const PROJECTS = ['unit', 'suite'].map((name) => `--project=${name}`)

/** Runs test files from source, each test once. */
export async function runVitest(files: readonly string[], args: readonly string[] = []): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-faults-'))
  const [report, log] = [join(folder, 'report.json'), join(folder, 'output.log')]
  const started = performance.now()
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const options = ['--retry=0', ...reporters, ...PROJECTS, ...args]
    // Captured, since the output of a run that found its fault is not needed.
    const command = ['-c', 'exec vitest run "$@" > "$0" 2>&1', log, ...options, ...files]
    const code = await attach('sh', command, { CI: '', SDK_TEST_BUILT: '' })
    const seconds = (performance.now() - started) / 1000
    return { ...toOutcome(code, readReport(report)), output: readFileSync(log, 'utf8'), seconds }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Evaluates a report; null if vitest exited before it wrote one. */
function toOutcome(code: number, report: JsonTestResults | null): Omit<TestRun, 'output' | 'seconds'> {
  const results = report?.testResults ?? []
  const failed = results
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => [fullName, ...(failureMessages ?? [])].join('\n'))
  const unloaded = results
    .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
    .map(({ name, message }) => `${name}\n${message}`)
  const passedFiles = results
    .filter(({ assertionResults }) => assertionResults.some(({ status }) => status === 'passed'))
    .map(({ name }) => relative('.', name))
  const isPassed = code === 0 && report?.success === true && passedFiles.length > 0
  const isFailed = failed.length > 0 && unloaded.length === 0
  const outcome = isFailed ? 'failed' : isPassed ? 'passed' : 'broken'
  return { outcome, passedFiles, failures: [...failed, ...unloaded] }
}

function readReport(file: string): JsonTestResults | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JsonTestResults
  } catch {
    return null // vitest exited before it wrote a report
  }
}
