import type { Run } from '../run.ts'
import type { RunRecorder } from './run-store.ts'

/** Creates a run with this number; greater numbers are later. */
export function makeRun(number: number, more: Partial<Run> = {}): Run {
  return {
    id: `run-${String(number).padStart(6, '0')}`,
    requestId: `request-${number}`,
    route: 'POST /agent/echo',
    kind: 'agent',
    method: 'POST',
    target: '/agent/echo',
    state: 'done',
    status: 200,
    startedAt: number,
    ms: 1,
    bytes: 2,
    chunks: 0,
    caller: 'curl',
    identity: null,
    error: null,
    revision: 1,
    isPinned: false,
    request: { headers: [['host', 'localhost']], body: { text: '{}', bytes: 2, isCut: false } },
    response: { headers: [], at: 1 },
    pieces: [{ text: '{}', bytes: 2, isCut: false, at: 1 }],
    spans: [],
    logs: [],
    thrown: null,
    traceId: null,
    models: [],
    recordings: [],
    closed: null,
    ...more,
  }
}

/** Creates a recorder of a run that counts the calls of `toRun`. */
export function recorderOf(run: Run): RunRecorder & { run: Run; written: number; isReleased: boolean } {
  return {
    run,
    written: 0,
    isReleased: false,
    id: run.id,
    get isEnded() {
      return this.run.state !== 'running'
    },
    load: () => null,
    summary() {
      return this.run
    },
    toRun() {
      this.written += 1
      return this.run
    },
    release() {
      this.isReleased = true
    },
  }
}
