import type { RunList } from '../../api.ts'
import type { Run, RunSummary } from '../../run.ts'
import { toSummary } from '../../run.ts'

/** A recorded run, with what a test says of it. */
export function createRun(some: Partial<Run> = {}): Run {
  return {
    id: '000001',
    requestId: `request-${some.id ?? '000001'}`,
    route: 'POST /agent/echo',
    kind: 'agent',
    method: 'POST',
    target: '/agent/echo',
    state: 'done',
    status: 200,
    startedAt: 1_700_000_000_000,
    ms: 12,
    bytes: 64,
    chunks: 0,
    caller: 'curl',
    identity: null,
    error: null,
    revision: 1,
    isPinned: false,
    request: { headers: [['content-type', 'application/json']], body: textOf('{"text":"hi"}') },
    response: { headers: [['content-type', 'application/json']], at: 10 },
    pieces: [],
    spans: [],
    logs: [],
    thrown: null,
    traceId: null,
    closed: null,
    ...some,
  }
}

/** The line of a run in a list. */
export function createSummary(some: Partial<RunSummary> = {}): RunSummary {
  return toSummary(createRun(some))
}

/** Runs of these numbers, the greatest first, as the server lists them. */
export function createList(numbers: readonly number[], some: Partial<RunList> = {}): RunList {
  const runs = numbers.toSorted((a, b) => b - a).map((number) => createSummary({ id: idOf(number) }))
  return { runs, hasMore: false, callers: ['curl'], total: runs.length, ...some }
}

/** The id of the run of this number. */
export function idOf(number: number): string {
  return String(number).padStart(6, '0')
}

/** A text as it is recorded. */
export function textOf(text: string): { text: string; bytes: number; isCut: false } {
  return { text, bytes: text.length, isCut: false }
}
