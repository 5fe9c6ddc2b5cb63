import type { InspectedStep, RunInspection } from '../../api.ts'

const START = Date.parse('2026-11-18T12:00:00.000Z')

/** Returns the time of a number of milliseconds after the start of the run. */
export function timeAt(ms: number): string {
  return new Date(START + ms).toISOString()
}

/** Returns a step of the first attempt. Times are in milliseconds after the start of the run. */
export function createStep(
  name: string,
  [from, to]: readonly [number, number | null],
  more: Partial<InspectedStep> = {},
): InspectedStep {
  const times = { startedAt: timeAt(from), endedAt: to === null ? null : timeAt(to) }
  return { name, kind: 'step', attempts: 1, epoch: 1, process: 'a'.repeat(32), value: null, ...times, ...more }
}

/** Returns an inspection of a run that has ended. */
export function createInspection({
  run,
  ...more
}: Partial<Omit<RunInspection, 'run'>> & { readonly run?: Partial<RunInspection['run']> } = {}): RunInspection {
  return {
    run: {
      id: 'f'.repeat(32),
      agent: 'buy',
      userId: null,
      thread: null,
      isStream: false,
      status: 'done',
      epoch: 1,
      waiting: null,
      createdAt: timeAt(0),
      endedAt: timeAt(1000),
      isGone: false,
      process: null,
      dueAt: null,
      stepCount: 0,
      ...run,
    },
    input: null,
    output: null,
    error: null,
    state: null,
    steps: [],
    attempts: [{ epoch: 1, process: 'a'.repeat(32), keep: null, steps: 0 }],
    events: [],
    chunkCount: 0,
    firstChunk: 0,
    chunks: [],
    ...more,
  }
}
