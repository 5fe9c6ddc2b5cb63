import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'

/** The totals of a test run. */
export interface Totals {
  passed: number
  failed: number
  skipped: number
  /** Suites without a test that ran: `file › name (count)`. */
  skippedSuites: string[]
  /** Failed tests, with the message: `file › name: message`. */
  failures: string[]
  /** Tests that failed on the first attempt, with the message: `file › name: message`. */
  secondTries: string[]
  /** The slowest files, slowest first. */
  slowest: { file: string; seconds: number }[]
}

const SLOWEST = 10

/** The environment variable with the path of the totals file. */
export const TOTALS_FILE = 'SDK_TEST_TOTALS'

/** Returns the totals of a run without tests. */
export function noTotals(): Totals {
  return { passed: 0, failed: 0, skipped: 0, skippedSuites: [], failures: [], secondTries: [], slowest: [] }
}

/** Counts tests for the summary. An error outside of a test counts as one failure. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const totals: Totals = { ...noTotals(), failed: unhandledErrors.length, slowest: findSlowest(modules) }
    for (const module of modules) addModule(totals, module)
    totals.failures.push(...unhandledErrors.map((error) => `outside of a test: ${messageOf(error)}`))
    const file = process.env[TOTALS_FILE]
    if (file !== undefined) writeFileSync(file, JSON.stringify(totals))
  }
}

function findSlowest(modules: readonly TestModule[]): Totals['slowest'] {
  const times = modules.map((module) => {
    const { duration, collectDuration, setupDuration } = module.diagnostic()
    return { file: module.relativeModuleId, seconds: (duration + collectDuration + setupDuration) / 1000 }
  })
  return times.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
}

function addModule(totals: Totals, module: TestModule): void {
  for (const part of [module, ...module.children.allSuites()]) {
    if (part.errors().length === 0) continue
    totals.failed++
    totals.failures.push(`${module.relativeModuleId}: ${part.errors()[0]?.message}`)
  }
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    if (state === 'pending') totals.failed++
    else totals[state]++
    const name = `${module.relativeModuleId} › ${test.fullName}`
    if (state === 'failed') totals.failures.push(`${name}: ${firstFault(test)}`)
    if (test.diagnostic()?.flaky) totals.secondTries.push(`${name}: ${firstFault(test)}`)
  }
  for (const suite of module.children.suites()) {
    if (isSkipped(suite)) totals.skippedSuites.push(`${module.relativeModuleId} › ${suite.name}`)
  }
}

function firstFault(test: TestCase): string {
  const [error] = test.result().errors ?? []
  return error === undefined ? 'it is not known why' : [error.message, error.diff].filter(Boolean).join('\n')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error)
}

function isSkipped(suite: TestSuite): boolean {
  const tests = [...suite.children.allTests()]
  return tests.length > 0 && tests.every((test) => test.result().state === 'skipped')
}
