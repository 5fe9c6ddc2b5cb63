import type { ApiError } from '@sdk/protocol'
import { createStore, toApiError, type HttpClient, type SendOptions, type Store } from '@sdk/frontend'
import { collect, type CollectOptions } from './collect.ts'

/** What a component sees of its calls; every flag derives from `status`. */
export interface CallState {
  readonly status: 'idle' | 'loading' | 'success' | 'error'
  readonly data: unknown
  readonly error: ApiError | null
  readonly isStreaming: boolean
  /** How many chunks the running or last stream gave. */
  readonly chunks: number
}

/** What a call is made of; read when it is made. */
export interface CallInput {
  readonly client: HttpClient
  readonly route: string
  readonly options: SendOptions & CallCallbacks
}

/** What a component hears of its calls; each as it was last rendered. */
export interface CallCallbacks {
  onChunk?: ((chunk: never) => unknown) | undefined
  onSuccess?: ((data: never) => unknown) | undefined
  onError?: ((error: ApiError) => unknown) | undefined
}

/** The calls of one component: many may run, the newest decides the state. */
export interface ApiCall {
  readonly state: Store<CallState>
  /** Sends a request. Its rejection needs no handler, since the state tells of it. */
  invoke(payload?: unknown, overrides?: SendOptions): Promise<unknown>
  /** Stops the newest call. What has come so far stays; a stop is no error. */
  cancel(): void
  /** Forgets everything. */
  reset(): void
  /** Says that somebody looks; returns the way to stop, after which a stream is stopped too. */
  attach(): () => void
}

interface Run {
  readonly controller: AbortController
  isStream: boolean
  /** Why it failed; a stop is no failure. */
  error: ApiError | null
}

const IDLE: CallState = { status: 'idle', data: undefined, error: null, isStreaming: false, chunks: 0 }

/** Makes the state of a component's calls. */
export function createApiCall(latest: () => CallInput): ApiCall {
  const store = createStore(IDLE)
  let newest: Run | null = null
  let isAttached = false
  return { state: store, invoke, cancel, reset, attach }

  function invoke(payload?: unknown, overrides: SendOptions = {}): Promise<unknown> {
    stopStream()
    const run: Run = { controller: new AbortController(), isStream: false, error: null }
    newest = run
    store.patch({ status: 'loading', error: null, isStreaming: false, chunks: 0 })
    const promise = execute(run, payload, overrides)
    announce(promise, run, latest)
    return promise
  }

  function cancel(): void {
    if (newest === null || store.get().status !== 'loading') return
    newest.controller.abort()
    settle(newest, { status: 'idle' })
  }

  function reset(): void {
    stopStream()
    newest = null
    store.patch(IDLE)
  }

  function attach(): () => void {
    isAttached = true
    return () => {
      isAttached = false
      // StrictMode leaves and comes back at once.
      queueMicrotask(() => isAttached || stopStream())
    }
  }

  /** A stream is stopped when nobody waits for it; a plain request goes on, since half a write helps nobody. */
  function stopStream(run: Run | null = newest): void {
    if (run?.isStream === true) run.controller.abort()
  }

  async function execute(run: Run, payload: unknown, overrides: SendOptions): Promise<unknown> {
    const signal = join(run.controller.signal, overrides.signal)
    try {
      const data = await send(latest(), payload, { ...overrides, signal, onStream: () => begin(run) })
      signal.throwIfAborted()
      settle(run, { status: 'success', data })
      return data
    } catch (thrown) {
      if (!signal.aborted) run.error = toApiError(thrown)
      settle(run, run.error === null ? { status: 'idle' } : { status: 'error', error: run.error })
      throw thrown
    }
  }

  function begin(run: Run): CollectOptions {
    run.isStream = true
    if (run !== newest || !isAttached) stopStream(run)
    return {
      onChunk: (chunk) => latest().options.onChunk?.(chunk as never),
      show: (data) => settle(run, { isStreaming: store.get().status === 'loading', data, chunks: data.length }),
    }
  }

  function settle(run: Run, change: Partial<CallState>): void {
    if (run === newest) store.patch({ isStreaming: false, ...change })
  }
}

/** Calls back when a call has ended. This also marks its rejection as handled; what the callbacks throw still shows. */
function announce(promise: Promise<unknown>, run: Run, latest: () => CallInput): void {
  void promise.then(
    (data) => latest().options.onSuccess?.(data as never),
    () => run.error && latest().options.onError?.(run.error),
  )
}

/** One request from start to end; `onStream` is told when its answer comes in chunks. */
async function send(
  { client, route, options }: CallInput,
  payload: unknown,
  overrides: SendOptions & { onStream: () => CollectOptions },
): Promise<unknown> {
  const { params, query, delimiter } = { ...options, ...overrides }
  const headers = { ...options.headers, ...overrides.headers }
  const reply = await client.send(route, payload, { params, query, delimiter, headers, signal: overrides.signal })
  return reply.kind === 'value' ? reply.value : collect(reply.chunks, overrides.onStream())
}

function join(own: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? own : AbortSignal.any([own, other])
}
