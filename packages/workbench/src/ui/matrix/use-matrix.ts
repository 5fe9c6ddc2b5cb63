import { useEffect, useState, useSyncExternalStore } from 'react'
import { useEvents } from '../data/use-events.ts'
import { identity, signInAs, type Identity, createIdentitySource, createIdentityStore } from '../data/identity.ts'
import type { CallInput } from '../input/call-input.ts'
import { showToast } from '../components/toast.ts'
import { createRequestId, toRequestBody } from '../runner/runner-call.ts'
import { createMatrix, type Outcome } from './matrix-run.ts'
import type { MatrixSettings } from './matrix-choice.tsx'
import { createHttpClient, toApiError } from '@sdk/frontend'

/** A matrix on a page, with the runs of its calls. */
export type LiveMatrix = ReturnType<typeof useMatrix>

interface MatrixTask {
  readonly route: string
  readonly input: CallInput
  readonly choice: MatrixSettings
}

/** Returns a matrix, which makes many calls and finds their runs. */
export function useMatrix() {
  const [matrix] = useState(createMatrix)
  const state = useSyncExternalStore(matrix.subscribe, matrix.get)
  const [by, setBy] = useState<MatrixSettings['by']>('identities')
  /** The identity of each cell. */
  const [identities, setIdentities] = useState<readonly Identity[]>([])
  const [runs, setRuns] = useState<ReadonlyMap<string, string>>(new Map())
  useEvents('run', ({ requestId, id }) => {
    const isOurs = state.cells.some((cell) => cell.requestId === requestId)
    if (isOurs && !runs.has(requestId)) setRuns((now) => new Map(now).set(requestId, id))
  })
  useEffect(() => () => matrix.cancel(), [matrix])

  async function start({ route, input, choice }: MatrixTask): Promise<void> {
    const { who, count, concurrency } = choice
    const isOnce = choice.by === 'identities'
    const all = isOnce ? await Promise.all(who.map(toIdentity)) : Array.from({ length: count }, identity.snapshot)
    setBy(choice.by)
    setIdentities(all)
    setRuns(new Map())
    matrix.start({
      count: all.length,
      // Calls as different identities are made one at a time, so that their durations are comparable.
      concurrency: isOnce ? 1 : concurrency,
      createId: createRequestId,
      call: (index, requestId, signal) =>
        callAs({ route, input, who: all[index] ?? { kind: 'anonymous' }, requestId, signal }),
    })
  }

  return {
    ...state,
    by,
    identities,
    runOf: (requestId: string) => runs.get(requestId) ?? null,
    start: (next: MatrixTask) =>
      void start(next).catch((error: unknown) => showToast(`Cannot start: ${String(error)}`, 'bad')),
    resume: matrix.resume,
    cancel: matrix.cancel,
  }
}

async function toIdentity(who: string): Promise<Identity> {
  return who === 'anonymous' || who === 'browser' ? { kind: who } : signInAs(who)
}

interface CallAs {
  readonly route: string
  readonly input: CallInput
  readonly who: Identity
  readonly requestId: string
  readonly signal: AbortSignal
}

/** Calls a route as any client would, with a user's token, this browser's cookies, or no credentials. */
async function callAs({ route, input, who, requestId, signal }: CallAs): Promise<Outcome> {
  let status = 0
  const client = createHttpClient({
    retry: false,
    credentials: who.kind === 'browser' ? 'same-origin' : 'omit',
    auth: who.kind === 'user' ? createIdentitySource(createIdentityStore({ start: who })) : undefined,
    async fetch(address, init) {
      const response = await fetch(address, init)
      status = response.status
      return response
    },
  })
  const { params, query } = input
  const headers = { ...Object.fromEntries(input.headers), 'x-request-id': requestId, 'x-sdk-caller': 'workbench' }
  const start = performance.now()
  try {
    const reply = await client.send(route, toRequestBody(route, input), { params, query, headers, signal })
    const output = reply.kind === 'value' ? await readable(reply.value) : await reply.collect()
    return { state: 'done', status, ms: performance.now() - start, output, error: null }
  } catch (thrown) {
    const ms = performance.now() - start
    if (signal.aborted) return { state: 'cancelled', status: 0, ms, output: undefined, error: null }
    return { state: 'failed', status, ms, output: undefined, error: toApiError(thrown) }
  }
}

/** Converts the blob from a response that is not JSON to text, so that it can be compared. */
async function readable(value: unknown): Promise<unknown> {
  return value instanceof Blob ? value.text() : value
}
