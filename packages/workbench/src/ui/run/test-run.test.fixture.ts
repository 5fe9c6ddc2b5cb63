import type { Run, RunError, RunSpan } from '../../run.ts'

/** Creates a successful run of an agent, with overrides. */
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
    models: [],
    logs: [],
    thrown: null,
    traceId: null,
    closed: null,
    ...change,
  }
}

/** Creates a nested call of an agent, with overrides. */
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

/** Creates a thrown error, with overrides. */
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
