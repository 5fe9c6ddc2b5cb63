import type { RunList } from '../../api.ts'
import { toSummary, type Run, type RunSummary, type RunText } from '../../run.ts'
import { createTestRun } from '../run/test-run.test.fixture.ts'

/** Creates a recorded run with an id of six digits, with overrides. */
export function createRun(some: Partial<Run> = {}): Run {
  const id = some.id ?? idOf(1)
  return createTestRun({ id, requestId: `request-${id}`, caller: 'curl', startedAt: 1_700_000_000_000, ...some })
}

/** Creates the summary of a run. */
export function createSummary(some: Partial<RunSummary> = {}): RunSummary {
  return toSummary(createRun(some))
}

/** Creates a list of runs with these numbers, greatest first, as the server returns it. */
export function createList(numbers: readonly number[], some: Partial<RunList> = {}): RunList {
  const runs = numbers.toSorted((a, b) => b - a).map((number) => createSummary({ id: idOf(number) }))
  return { runs, hasMore: false, callers: ['curl'], total: runs.length, matching: runs.length, ...some }
}

/** Returns the id of the run with this number. */
export function idOf(number: number): string {
  return String(number).padStart(6, '0')
}

/** Creates recorded text. */
export function textOf(text: string): RunText {
  return { text, bytes: text.length, isCut: false }
}
