import { isApiError, type ApiError } from '@sdk/protocol'
import { toArguments, type SendOptions, type Store } from '@sdk/frontend'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createOptimisticChanges, type OptimisticCache, type OptimisticChanges } from './optimistic.ts'
import { identityOf } from './sdk-context.ts'
import {
  sendRequest,
  type RequestCallbacks,
  type RequestContext,
  type RequestState,
  type SendRequestOptions,
} from './send-request.ts'

/** Untyped options for a route that is called with `invoke`. */
export interface MutationOptions extends SendOptions, RequestCallbacks {
  invalidates?: readonly string[] | undefined
  optimistic?: ((cache: OptimisticCache, ...input: never[]) => void) | undefined
  concurrency?: 'parallel' | 'latest' | 'queue' | undefined
}

/** The state of a component's newest mutation, and the id of the user it belongs to. */
interface MutationState extends RequestState {
  readonly owner?: string | null | undefined
}

/** The functions that control a component's mutations. */
export interface MutationActions {
  /**
   * Sends a request with the payload, if the route has one, and the options. The returned promise does not need a
   * rejection handler.
   */
  invoke(...input: unknown[]): Promise<unknown>
  /** Stops all requests in progress. Data received so far is kept, and a cancellation is not an error. */
  cancel(): void
  /** Stops streams and clears the state. */
  reset(): void
}

interface MutationRun {
  readonly controller: AbortController
  readonly input: unknown[]
  readonly changes: OptimisticChanges
  readonly owner: RequestContext['identity']
  isStream: boolean
}

/** The outcome of a run, which is `idle` after a cancellation. */
type MutationOutcome = { status: 'idle' } | { status: 'success'; data: unknown } | { status: 'error'; error: ApiError }

type LatestContext = () => RequestContext<MutationOptions>

const IDLE_STATE: MutationState = { status: 'idle', data: undefined, error: null, isStreaming: false, chunks: 0 }

/** Returns the state and the actions for this component's mutations on a route. */
export function useApiMutation(
  { route, identity }: RequestContext<MutationOptions>,
  latest: LatestContext,
): RequestState & MutationActions {
  const { subscribe, get, actions } = useMemo(
    () => createMutationStore(() => ({ ...latest(), route })),
    [latest, route],
  )
  const { owner, ...state } = useSyncExternalStore(subscribe, get, get)
  // A user's data is never shown to the next user. Data that arrived while no user was signed in remains visible.
  const isOfOtherUser = owner && owner !== identity
  useEffect(() => {
    if (isOfOtherUser) actions.reset()
  }, [isOfOtherUser, actions])
  return { ...(isOfOtherUser ? IDLE_STATE : state), ...actions }
}

/** Creates the store for a component's mutations. Several may run concurrently, and the newest determines the state. */
function createMutationStore(latest: LatestContext): Store<MutationState> & { actions: MutationActions } {
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
      // Deferred because StrictMode unmounts and remounts components synchronously.
      queueMicrotask(() => listener || abortRuns(runs))
    }
  }

  function invoke(...input: unknown[]): Promise<unknown> {
    const { concurrency } = latest().options
    abortRuns(runs, concurrency)
    const run = createMutationRun(latest(), input)
    const canStart = concurrency !== 'queue' || runs.size === 0
    runs.add(run)
    const promise = canStart ? start(run) : queue.then(() => start(run))
    // This also marks the promise's rejection as handled.
    queue = promise.catch(() => {})
    return promise
  }

  function cancel(): void {
    abortRuns(runs, 'latest')
    if (newest && runs.has(newest)) update(newest, { status: 'idle' })
  }

  function reset(): void {
    abortRuns(runs)
    runs.clear()
    newest = null
    state = IDLE_STATE
    listener?.()
  }

  function start(run: MutationRun): Promise<unknown> {
    if (runs.has(run)) newest = run
    if (!run.controller.signal.aborted) update(run, { status: 'loading', error: null, chunks: 0 })
    return executeRun(run, latest, {
      onReply(isStream) {
        const isSuperseded = run !== newest && latest().options.concurrency === undefined
        run.isStream = isStream
        if (isStream && (isSuperseded || !listener || !runs.has(run))) run.controller.abort()
        return (data) => update(run, { isStreaming: state.status === 'loading', data, chunks: data.length })
      },
      onEnd(outcome) {
        runs.delete(run)
        update(run, outcome)
      },
    })
  }

  function update(run: MutationRun, change: Partial<RequestState>): void {
    if (run !== newest) return
    // A request sent while auth was loading belongs to the user who is signed in afterwards.
    state = { ...state, isStreaming: false, owner: run.owner ?? latest().identity, ...change }
    listener?.()
  }
}

/**
 * Aborts all requests if `concurrency` is `latest`, or only streams if it is undefined. Other requests continue,
 * because their writes may already have happened.
 */
function abortRuns(runs: Set<MutationRun>, concurrency?: MutationOptions['concurrency']): void {
  for (const { isStream, controller } of runs)
    if (concurrency === 'latest' || (concurrency === undefined && isStream)) controller.abort()
}

function createMutationRun(
  { queryClient, identity, options }: RequestContext<MutationOptions>,
  input: unknown[],
): MutationRun {
  const changes = createOptimisticChanges(queryClient, identity ?? null)
  try {
    options.optimistic?.(changes, ...(input as never[]))
  } catch (error) {
    changes.end(false)
    throw error
  }
  return { controller: new AbortController(), input, changes, owner: identity, isStream: false }
}

/** Sends a run's request through the MutationCache, so that devtools and the app's own callbacks can observe it. */
function executeRun(
  run: MutationRun,
  latest: LatestContext,
  { onReply, onEnd }: Pick<SendRequestOptions, 'onReply'> & { onEnd(outcome: MutationOutcome): void },
): Promise<unknown> {
  const { queryClient, route } = latest()
  const mutation = queryClient
    .getMutationCache()
    .build(queryClient, { mutationKey: [route], mutationFn, retry: false, networkMode: 'always' })
  return mutation.execute(run.input[0])

  async function mutationFn(): Promise<unknown> {
    const { options, ...context } = latest()
    const [input, overrides = {}] = toArguments(route, run.input)
    const headers = { ...options.headers, ...overrides.headers }
    // A request belongs to its user: it must not be sent with the next user's token or reported to the next user.
    const isOfOtherUser = (): unknown => run.owner && run.owner !== identityOf(context.client)
    if (isOfOtherUser()) run.controller.abort()
    const signals = [run.controller.signal, options.signal, overrides.signal]
    let outcome: MutationOutcome = { status: 'idle' }
    try {
      const data = await sendRequest(
        { ...context, options: { ...options, ...overrides, headers } },
        { input, signals, observers: () => (isOfOtherUser() ? [] : [latest]), onReply },
      )
      outcome = { status: 'success', data }
      return data
    } catch (error) {
      if (isApiError(error)) outcome = { status: 'error', error }
      throw error
    } finally {
      const isSuccess = outcome.status === 'success'
      run.changes.end(isSuccess, isSuccess ? latest().options.invalidates : [])
      onEnd(outcome)
    }
  }
}
