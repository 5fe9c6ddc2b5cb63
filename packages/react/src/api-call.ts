import type { ApiError } from '@sdk/protocol'
import { createStore, type Store } from '@sdk/frontend'
import { announce, createRun, execute, type CallInput, type CallSettings, type Run } from './call-run.ts'
import type { CollectOptions } from './collect.ts'

/** What a component sees of its calls; every flag derives from `status`. */
export interface CallState {
  readonly status: 'idle' | 'loading' | 'success' | 'error'
  readonly data: unknown
  readonly error: ApiError | null
  readonly isStreaming: boolean
  /** How many chunks the running or last stream gave. */
  readonly chunks: number
  /** Whose it is, by id. */
  readonly owner: string | null | undefined
}

/** The calls of one component: many may run, the newest decides the state. */
export interface ApiCall {
  readonly state: Store<CallState>
  /**
   * Sends a request: the payload where the route carries one, and options. Its rejection needs no handler, since the
   * state tells of it.
   */
  invoke(...input: unknown[]): Promise<unknown>
  /** Stops whatever runs. What has come so far stays; a stop is no error. */
  cancel(): void
  /** Forgets everything. */
  reset(): void
  /** Says that somebody looks; returns the way to stop, after which a stream is stopped too. */
  attach(): () => void
}

/** Nothing was called. */
export const IDLE: CallState = {
  status: 'idle',
  data: undefined,
  error: null,
  isStreaming: false,
  chunks: 0,
  owner: undefined,
}

/** Makes the state of a component's calls. */
export function createApiCall(latest: () => CallInput): ApiCall {
  const store = createStore(IDLE)
  const runs = new Set<Run>()
  let newest: Run | null = null
  let queue: Promise<unknown> = Promise.resolve()
  let isAttached = false
  return { state: store, invoke, cancel, reset, attach }

  function invoke(...input: unknown[]): Promise<unknown> {
    const { concurrency } = latest().options
    for (const other of runs) stopFor(other, concurrency)
    const run = createRun(latest(), input)
    const isNext = concurrency !== 'queue' || runs.size === 0
    runs.add(run)
    const promise = isNext ? start(run) : queue.then(() => start(run))
    queue = announce(promise, run, latest)
    return promise
  }

  function cancel(): void {
    for (const { controller } of runs) controller.abort()
    if (newest && runs.has(newest)) settle(newest, { status: 'idle' })
  }

  function reset(): void {
    stopStreams()
    runs.clear()
    newest = null
    store.patch(IDLE)
  }

  function attach(): () => void {
    isAttached = true
    return () => {
      isAttached = false
      // StrictMode leaves and comes back at once.
      queueMicrotask(() => isAttached || stopStreams())
    }
  }

  /** A stream is stopped when nobody waits for it; a plain request goes on, since half a write helps nobody. */
  function stopStreams(): void {
    for (const run of runs) stopFor(run, undefined)
  }

  function start(run: Run): Promise<unknown> {
    if (runs.has(run)) newest = run
    if (!run.controller.signal.aborted) settle(run, { status: 'loading', error: null, chunks: 0 })
    return execute(run, { latest, begin, end })
  }

  function begin(run: Run): CollectOptions {
    run.isStream = true
    const isOld = run !== newest && latest().options.concurrency === undefined
    if (isOld || !isAttached || !runs.has(run)) run.controller.abort()
    return {
      onChunk: (chunk) => latest().options.onChunk?.(chunk as never),
      show: (data) => settle(run, { isStreaming: store.get().status === 'loading', data, chunks: data.length }),
    }
  }

  function end(run: Run, change: Partial<CallState>): void {
    runs.delete(run)
    run.changes.end(change.status === 'success')
    settle(run, change)
  }

  function settle(run: Run, change: Partial<CallState>): void {
    // Who called before it was known who they are, is who they turned out to be.
    if (run === newest) store.patch({ isStreaming: false, owner: run.owner ?? latest().identity, ...change })
  }
}

/** Makes room for a new call. */
function stopFor({ isStream, controller }: Run, concurrency: CallSettings['concurrency']): void {
  if (concurrency === 'latest' || (concurrency === undefined && isStream)) controller.abort()
}
