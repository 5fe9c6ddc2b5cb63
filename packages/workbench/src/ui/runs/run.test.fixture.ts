import type { RunList } from '../../api.ts'
import { toSummary, type Run, type RunSummary, type RunText } from '../../run.ts'
import { createTestRun } from '../run/test-run.test.fixture.ts'

/** A recorded run with an id of six digits, and what a test says of it. */
export function createRun(some: Partial<Run> = {}): Run {
  const id = some.id ?? idOf(1)
  return createTestRun({ id, requestId: `request-${id}`, caller: 'curl', startedAt: 1_700_000_000_000, ...some })
}

/** The line of a run in a list. */
export function createSummary(some: Partial<RunSummary> = {}): RunSummary {
  return toSummary(createRun(some))
}

/** Runs of these numbers, the greatest first, as the server lists them. */
export function createList(numbers: readonly number[], some: Partial<RunList> = {}): RunList {
  const runs = numbers.toSorted((a, b) => b - a).map((number) => createSummary({ id: idOf(number) }))
  return { runs, hasMore: false, callers: ['curl'], total: runs.length, matching: runs.length, ...some }
}

/** The id of the run of this number. */
export function idOf(number: number): string {
  return String(number).padStart(6, '0')
}

/** A text as it is recorded. */
export function textOf(text: string): RunText {
  return { text, bytes: text.length, isCut: false }
}
