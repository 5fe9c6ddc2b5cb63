import type { ApiError } from '@sdk/protocol'
import type { CollectOptions } from '@sdk/frontend'
import { createMutationRun, executeRun, type MutationOptions, type MutationRun } from './call-run.ts'
import type { RequestContext } from './send-request.ts'

/** What a component sees of its calls; every flag derives from `status`. */
export interface RequestState {
  readonly status: 'idle' | 'loading' | 'success' | 'error'
  readonly data: unknown
  readonly error: ApiError | null
  readonly isStreaming: boolean
  /** How many chunks the running or last stream gave. */
  readonly chunks: number
  /** Whose it is, by id. */
  readonly owner?: string | null | undefined
}

/** The calls of one component, as a store for it alone: many may run, the newest decides the state. */
export interface MutationStore {
  get(): RequestState
  /** Listens to changes; returns the way to stop, which also stops a stream. */
  subscribe(listener: () => void): () => void
  /** What a component may do with them. */
  readonly actions: MutationActions
}

/** What a component may do with its calls. */
export interface MutationActions {
  /**
   * Sends a request: the payload where the route carries one, and options. Its rejection needs no handler, since the
   * state tells of it.
   */
  invoke(...input: unknown[]): Promise<unknown>
  /** Stops whatever runs. What has come so far stays; a stop is no error. */
  cancel(): void
  /** Forgets everything. */
  reset(): void
}

/** Nothing was called. */
export const IDLE_STATE: RequestState = { status: 'idle', data: undefined, error: null, isStreaming: false, chunks: 0 }

/** Makes the state of a component's calls. */
export function createMutationStore(latest: () => RequestContext<MutationOptions>): MutationStore {
  const runs = new Set<MutationRun>()
  let state = IDLE_STATE
  let listener: (() => void) | null = null
  let newest: MutationRun | null = null
  let queue: Promise<unknown> = Promise.resolve()
  return { get: () => state, subscribe, actions: { invoke, cancel, reset } }

  function subscribe(next: () => void): () => void {
    listener = next
    return () => {
      listener = null
      // Later: StrictMode unmounts, and mounts again at once.
      queueMicrotask(() => listener || stop(runs))
    }
  }

  function invoke(...input: unknown[]): Promise<unknown> {
    const { concurrency } = latest().options
    stop(runs, concurrency)
    const run = createMutationRun(latest(), input)
    const isNext = concurrency !== 'queue' || runs.size === 0
    runs.add(run)
    const promise = isNext ? start(run) : queue.then(() => start(run))
    // This also marks its rejection as handled.
    queue = promise.catch(() => {})
    return promise
  }

  function cancel(): void {
    stop(runs, 'latest')
    if (newest && runs.has(newest)) settle(newest, { status: 'idle' })
  }

  function reset(): void {
    stop(runs)
    runs.clear()
    newest = null
    show(IDLE_STATE)
  }

  function start(run: MutationRun): Promise<unknown> {
    if (runs.has(run)) newest = run
    if (!run.controller.signal.aborted) settle(run, { status: 'loading', error: null, chunks: 0 })
    return executeRun(run, latest, {
      onReply: (isStream) => begin(run, isStream),
      end(how) {
        runs.delete(run)
        settle(run, how)
      },
    })
  }

  function begin(run: MutationRun, isStream: boolean): CollectOptions['show'] {
    const isOld = run !== newest && latest().options.concurrency === undefined
    run.isStream = isStream
    if (isStream && (isOld || !listener || !runs.has(run))) run.controller.abort()
    return (data) => settle(run, { isStreaming: state.status === 'loading', data, chunks: data.length })
  }

  function settle(run: MutationRun, change: Partial<RequestState>): void {
    // A call from before it was known who is signed in is that of the user who turned out to be.
    if (run === newest) show({ ...state, isStreaming: false, owner: run.owner ?? latest().identity, ...change })
  }

  function show(next: RequestState): void {
    state = next
    listener?.()
  }
}

/**
 * Makes room for a new call: stops streams, since nobody waits for them. Plain requests go on, as half a write helps
 * nobody.
 */
function stop(runs: Set<MutationRun>, concurrency?: MutationOptions['concurrency']): void {
  for (const { isStream, controller } of runs)
    if (concurrency === 'latest' || (concurrency === undefined && isStream)) controller.abort()
}
