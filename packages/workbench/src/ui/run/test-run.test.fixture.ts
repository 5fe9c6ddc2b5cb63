import type { Run } from '../../run.ts'

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
