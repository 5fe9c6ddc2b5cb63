import type { Run, RunError, RunModelStep, RunSpan } from '../../run.ts'

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
    recordings: [],
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

/** Creates a step of a model, with overrides. */
export function createTestStep(change: Partial<RunModelStep> = {}): RunModelStep {
  const input = '{"earlier":0,"messages":[{"role":"user","content":"Tea?"}],"tools":[]}'
  return {
    spanId: 0,
    call: 1,
    index: 0,
    provider: 'mock',
    model: 'mock-1',
    startedAt: 1,
    endedAt: 10,
    firstMs: 3,
    finishReason: 'stop',
    tokens: { input: 1_200, cached: 800, output: 90, reasoning: 0 },
    input: { text: input, bytes: input.length, isCut: false },
    output: null,
    toolCalls: [],
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
