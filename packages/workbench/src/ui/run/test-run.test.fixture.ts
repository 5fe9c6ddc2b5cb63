import type { Run, RunError, RunSpan } from '../../run.ts'

/** A run of an agent that went well, but for what is given. */
export function createTestRun(change: Partial<Run> = {}): Run {
  return {
    id: 'run-1',
    requestId: 'request-1',
    route: 'POST /agent/echo',
    kind: 'agent',
    method: 'POST',
    target: '/agent/echo',
    state: 'done',
    status: 200,
    startedAt: 0,
    ms: 12,
    bytes: 0,
    chunks: 0,
    caller: 'workbench',
    identity: null,
    error: null,
    revision: 1,
    isPinned: false,
    request: { headers: [], body: null },
    response: { headers: [['content-type', 'application/json']], at: 10 },
    pieces: [],
    spans: [],
    logs: [],
    thrown: null,
    traceId: null,
    closed: null,
    ...change,
  }
}

/** A call of another agent inside of a run, but for what is given. */
export function createTestSpan(change: Partial<RunSpan> = {}): RunSpan {
  return {
    id: 1,
    parentId: 0,
    route: 'POST /agent/greet',
    startedAt: 2,
    endedAt: 8,
    input: null,
    output: null,
    chunks: 0,
    error: null,
    ...change,
  }
}

/** Something that was thrown, but for what is given. */
export function createTestError(change: Partial<RunError> = {}): RunError {
  return {
    name: 'Error',
    message: 'no luck',
    code: null,
    frames: [{ name: 'work', file: 'src/agent/echo/index.ts', line: 5, column: 9, isForeign: false }],
    codeFrame: '> 5 |   throw new Error()',
    cause: null,
    ...change,
  }
}
