import { createBatch, createHttpClient, toApiError, type HttpClient } from '@sdk/frontend'
import type { ApiError } from '@sdk/protocol'
import type { CallInput } from '../input/call-input.ts'
import {
  createResponseRecorder,
  EMPTY_RECORDING,
  type ResponseRecorder,
  type StreamRecording,
} from '../run/stream/recording.ts'
import { useSdk } from '@sdk/react'
import { useMemo, useSyncExternalStore } from 'react'

/** A runner's last call, as recorded by this page. */
export interface RunnerCallState {
  readonly state: 'idle' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly recording: StreamRecording
  /** The output: a value, or the chunks received so far. */
  readonly output: unknown
  readonly error: ApiError | null
  /** The request id of the last call, which identifies its run, or null before the first call. */
  readonly requestId: string | null
  /** The input of the last call, or null before the first call. */
  readonly sent: CallInput | null
  /** The `performance.now()` time at which the last call started. */
  readonly startedAt: number
}

/** A store for the calls that a runner makes. */
export type RunnerCalls = ReturnType<typeof createRunnerCalls>

const IDLE_CALL: RunnerCallState = {
  state: 'idle',
  recording: EMPTY_RECORDING,
  output: undefined,
  error: null,
  requestId: null,
  sent: null,
  startedAt: 0,
}

/**
 * Creates a store that calls a route. A new call aborts the previous one. Each call uses a new client, since the
 * identity may change between calls.
 */
export function createRunnerCalls(route: string) {
  let state = IDLE_CALL
  let controller = new AbortController()
  let listener: (() => void) | null = null
  return { get: () => state, subscribe, send: (...call: Parameters<typeof send>) => void send(...call), cancel }

  /** Sets the listener. When it is removed, the call is aborted. */
  function subscribe(next: () => void): () => void {
    listener = next
    return () => {
      listener = null
      // Deferred, since StrictMode unsubscribes and immediately subscribes again.
      queueMicrotask(() => listener || controller.abort())
    }
  }

  async function send(client: HttpClient, input: CallInput): Promise<void> {
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    const requestId = createRequestId()
    const recorder = createResponseRecorder()
    // Ignores updates from a call that is no longer the latest.
    const show = (change: Partial<RunnerCallState>): void => {
      if (controller.signal !== signal) return
      state = { ...state, ...change }
      listener?.()
    }
    const batch = createBatch(() => show({ recording: recorder.snapshot() }))
    show({ ...IDLE_CALL, state: 'running', requestId, sent: input, startedAt: performance.now() })
    const add: ResponseRecorder['add'] = (data) => (recorder.add(data), batch.touch())
    const recordingClient = toRecordingClient(client, { ...recorder, add })
    const end = await perform(recordingClient, { route, input, requestId, signal, show })
    recorder.end()
    batch.cancel()
    show({ ...end, recording: recorder.snapshot() })
  }

  function cancel(): void {
    if (state.state === 'running') controller.abort()
  }
}

interface RequestTask {
  readonly route: string
  readonly input: CallInput
  readonly requestId: string
  readonly signal: AbortSignal
  show(change: Partial<RunnerCallState>): void
}

/** Sends the request and reads its response. Never rejects. */
async function perform(client: HttpClient, task: RequestTask): Promise<Partial<RunnerCallState>> {
  const { route, input, requestId, signal, show } = task
  try {
    const headers = { ...Object.fromEntries(input.headers), 'x-request-id': requestId }
    const { params, query } = input
    const options = { params, query, headers, signal, retry: false } as const
    const reply = await client.send(route, toRequestBody(route, input), options)
    const output =
      reply.kind === 'value' ? reply.value : await reply.collect({ show: (chunks) => show({ output: chunks }) })
    return { state: 'done', output }
  } catch (thrown) {
    return signal.aborted ? { state: 'cancelled' } : { state: 'failed', error: toApiError(thrown) }
  }
}

/** Returns the body exactly as typed, since parsing and serializing could change it. The server validates it. */
export function toRequestBody(route: string, { body }: CallInput): Blob | undefined {
  if (body.trim() === '' || /^(?:GET|HEAD) /.test(route)) return undefined
  return new Blob([body], { type: 'application/json' })
}

/** Wraps a client so that its responses are recorded. */
function toRecordingClient({ options }: HttpClient, recorder: ResponseRecorder): HttpClient {
  return createHttpClient({ ...options, fetch: recordingFetch(options.fetch ?? globalThis.fetch, recorder) })
}

/** Creates a request id. `randomUUID` is not used, since it only exists in secure contexts. */
export function createRequestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

type Fetch = typeof globalThis.fetch

/** Wraps `fetch` so that the head of each response and every chunk of its body are passed to a recorder. */
function recordingFetch(fetch: Fetch, recorder: ResponseRecorder): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { status, statusText, headers } = response
    const lines = Array.from(headers, ([name, value]) => [name.toLowerCase(), value] as const)
    recorder.head(status, lines)
    if (response.body === null) return response
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(data, controller) {
        recorder.add(data)
        controller.enqueue(data)
      },
    })
    return new Response(response.body.pipeThrough(watch), { status, statusText, headers })
  }
}

/** The last call to a route, as recorded by this page, with functions to make and abort calls. */
export interface RunnerCall extends RunnerCallState {
  readonly isRunning: boolean
  /** Makes a call. If a call is in progress, it is aborted first. */
  send(input: CallInput): void
  cancel(): void
}

/**
 * Calls a route with any method at its public URL, as any client would, and records the time of every chunk.
 * @example
 * const call = useRunnerCall('GET /api/v1/tasks/:id')
 * call.send({ ...EMPTY_INPUT, params: { id: '7' } })
 */
export function useRunnerCall(route: string): RunnerCall {
  const { client } = useSdk()
  const calls = useMemo(() => createRunnerCalls(route), [route])
  const state = useSyncExternalStore(calls.subscribe, calls.get)
  return {
    ...state,
    isRunning: state.state === 'running',
    send: (input) => calls.send(client, input),
    cancel: calls.cancel,
  }
}
