import type { ApiError } from '@sdk/protocol'
import { createBatch, createStore, toApiError, type HttpClient, type SendOptions, type Store } from '@sdk/frontend'

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
  readonly options: SendOptions & { onChunk?: ((chunk: never) => unknown) | undefined }
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
    const run: Run = { controller: new AbortController(), isStream: false }
    newest = run
    store.patch({ status: 'loading', error: null, isStreaming: false, chunks: 0 })
    const promise = execute(run, payload, overrides)
    promise.catch(() => {})
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
    const { client, route, options } = latest()
    const signal = join(run.controller.signal, overrides.signal)
    try {
      const reply = await client.send(route, payload, { ...merge(options, overrides), signal })
      run.isStream = reply.kind === 'stream'
      if (run !== newest || !isAttached) stopStream(run)
      signal.throwIfAborted()
      const data = reply.kind === 'value' ? reply.value : await collect(reply.chunks, chunksOf(run))
      settle(run, { status: 'success', data })
      return data
    } catch (thrown) {
      settle(run, signal.aborted ? { status: 'idle' } : { status: 'error', error: toApiError(thrown) })
      throw thrown
    }
  }

  function chunksOf(run: Run): CollectOptions {
    return {
      onChunk: (chunk) => latest().options.onChunk?.(chunk as never),
      show: (data) => run === newest && store.patch({ isStreaming: true, data, chunks: data.length }),
    }
  }

  function settle(run: Run, change: Partial<CallState>): void {
    if (run === newest) store.patch({ isStreaming: false, ...change })
  }
}

/** Options of `collect`. */
export interface CollectOptions {
  /** Sees every chunk in order; the next one waits for what it returns. */
  onChunk: (chunk: unknown) => unknown
  /** Sees the chunks so far, about once a frame. */
  show: (chunks: unknown[]) => unknown
}

/** Gathers the chunks of a stream. */
export async function collect(chunks: AsyncIterable<unknown>, options: CollectOptions): Promise<unknown[]> {
  const received: unknown[] = []
  const batch = createBatch(() => options.show([...received]))
  try {
    for await (const chunk of chunks) {
      received.push(chunk)
      batch.touch()
      await options.onChunk(chunk)
    }
    return received
  } finally {
    batch.cancel()
    options.show(received)
  }
}

function merge(options: SendOptions, overrides: SendOptions): SendOptions {
  const { params, query, delimiter } = { ...options, ...overrides }
  return { params, query, delimiter, headers: { ...options.headers, ...overrides.headers } }
}

function join(own: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? own : AbortSignal.any([own, other])
}
