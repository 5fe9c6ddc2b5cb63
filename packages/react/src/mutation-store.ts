import { isApiError, type ApiError } from '@sdk/protocol'
import { toArguments, type RunState, type SendOptions, type Store } from '@sdk/frontend'
import { useEffect, useSyncExternalStore } from 'react'
import { createOptimisticChanges, type OptimisticCache, type OptimisticChanges } from './optimistic.ts'
import { identityOf, type OfflineClient } from './sdk-context.ts'
import {
  sendRequest,
  type RequestCallbacks,
  type RequestContext,
  type RequestState,
  type SendRequestOptions,
} from './send-request.ts'
import { useKeyed } from './use-keyed.ts'

/** Untyped options for a route that is called with `invoke`. */
export interface MutationOptions extends SendOptions, RequestCallbacks {
  invalidates?: readonly string[] | undefined
  optimistic?: ((cache: OptimisticCache, ...input: never[]) => void) | undefined
  concurrency?: 'parallel' | 'latest' | 'queue' | undefined
  offline?: boolean | undefined
}

/** The state of a component's newest mutation, and the id of the user it belongs to. */
interface MutationState extends RequestState {
  /** The run of a durable agent. */
  readonly run: RunState | null
  readonly owner?: string | null | undefined
}

/** The functions that control a component's mutations. */
export interface MutationActions {
  /**
   * Sends a request with the payload, if the route has one, and the options. The returned promise does not need a
   * rejection handler.
   */
  invoke(...input: unknown[]): Promise<unknown>
  /**
   * Cancels all requests in progress, and the runs of a durable agent. Data received so far is kept. A cancellation is
   * not reported as an error.
   */
  cancel(): void
  /** Stops streams and clears the state. */
  reset(): void
}

interface MutationRun {
  readonly controller: AbortController
  /** The arguments of `invoke`, or undefined to follow the newest run of the thread. */
  readonly input: unknown[] | undefined
  readonly changes: OptimisticChanges
  readonly owner: RequestContext['identity']
  /** Whether the request can be aborted at any time. True for streams and for runs of durable agents. */
  isStream: boolean
  /** Whether the run had ended before the page was loaded. If so, its result is not reported again. */
  isOld?: unknown
  /** Cancels the durable agent's run; null until the run is known, and undefined before the request is sent. */
  cancel?: (() => void) | null
  isCancelled?: boolean
}

/** The outcome of a run, which is `idle` after a cancellation. */
type MutationOutcome = { status: 'idle' } | { status: 'success'; data: unknown } | { status: 'error'; error: ApiError }

interface MutationStore extends Store<MutationState> {
  readonly actions: MutationActions
  /** Shows the newest run of the thread, for example after a page reload. */
  follow(): void
}

interface MutationEvents extends Pick<SendRequestOptions, 'onReply'> {
  /** Called when the state of a durable agent's run may have changed. */
  onRun(run: RunState): void
  onEnd(outcome: MutationOutcome): void
}

type LatestContext = () => RequestContext<MutationOptions>

const IDLE_STATE: MutationState = {
  status: 'idle',
  data: undefined,
  error: null,
  isStreaming: false,
  chunks: 0,
  run: null,
}

/** Returns the state and the actions for this component's mutations on a route. */
export function useApiMutation(
  { client, route, identity, options: { thread, offline } }: RequestContext<MutationOptions>,
  latest: LatestContext,
): Omit<MutationState, 'owner'> & MutationActions {
  if (offline && !(client as Partial<OfflineClient>).leave)
    throw new TypeError('offline must be used within <SdkProvider offline>')
  const { subscribe, get, actions, follow } = useKeyed(JSON.stringify([route, thread]), () =>
    createMutationStore(() => ({ ...latest(), route, options: { ...latest().options, thread } })),
  )
  const { owner, ...state } = useSyncExternalStore(subscribe, get, get)
  // A user's data is never shown to the next user. Data that arrived while no user was signed in remains visible.
  const isOfOtherUser = owner && owner !== identity
  useEffect(() => {
    if (isOfOtherUser) actions.reset()
  }, [isOfOtherUser, actions])
  useEffect(() => {
    if (thread !== undefined && identity !== undefined) follow()
  }, [thread, identity, follow])
  return { ...(isOfOtherUser ? IDLE_STATE : state), ...actions }
}

/** Creates the store for a component's mutations. Several may run concurrently, and the newest determines the state. */
function createMutationStore(latest: LatestContext): MutationStore {
  const runs = new Set<MutationRun>()
  let state = IDLE_STATE
  let listener: (() => void) | null = null
  let newest: MutationRun | null = null
  const queue = createQueue()
  return { get: () => state, subscribe, actions: { invoke, cancel, reset }, follow }

  function subscribe(next: () => void): () => void {
    listener = next
    return () => {
      listener = null
      // Deferred because StrictMode unmounts and remounts components synchronously.
      queueMicrotask(() => listener || abortRuns(runs))
    }
  }

  function invoke(...input: unknown[]): Promise<unknown> {
    abortRuns(runs, latest().options.concurrency)
    return enqueue(createMutationRun(latest(), input))
  }

  function follow(): void {
    // A request of the previous user must not delay the one of the next user.
    for (const { owner } of runs) if (owner && owner !== latest().identity) reset()
    if (!runs.size && state.status === 'idle') void enqueue(createMutationRun(latest()))
  }

  function enqueue(run: MutationRun): Promise<unknown> {
    const mustWait = latest().options.concurrency === 'queue' && runs.size > 0
    runs.add(run)
    return queue(() => start(run), mustWait)
  }

  function cancel(): void {
    for (const run of runs) cancelMutationRun(run, latest().route)
    if (newest && runs.has(newest))
      update(newest, { status: 'idle', run: state.run && { ...state.run, status: 'cancelled', waiting: null } })
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
    if (run.input && !run.controller.signal.aborted)
      update(run, { status: 'loading', error: null, chunks: 0, run: null })
    return executeRun(run, latest, {
      onRun: (next) => runs.has(run) && update(run, { status: 'loading', isStreaming: state.isStreaming, run: next }),
      onReply(isStream) {
        const isSuperseded = run !== newest && !latest().options.concurrency
        run.isStream = isStream
        if (run.isCancelled || (isStream && (isSuperseded || !listener || !runs.has(run)))) run.controller.abort()
        return (data) => update(run, { isStreaming: state.status === 'loading', data, chunks: data.length })
      },
      onEnd: (outcome) => runs.delete(run) && update(run, outcome),
    })
  }

  function update(run: MutationRun, change: Partial<MutationState>): void {
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
  for (const { isStream, controller } of runs) if (concurrency ? concurrency === 'latest' : isStream) controller.abort()
}

/** Creates a function that starts a request, either immediately or when the previous one has ended. */
function createQueue(): (start: () => Promise<unknown>, mustWait: boolean) => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  return (start, mustWait) => {
    last = mustWait ? last.then(start, start) : start()
    last.catch(() => {}) // the state contains the error
    return last
  }
}

/** Stops a request, and cancels the run of a durable agent. */
function cancelMutationRun(run: MutationRun, route: string): void {
  run.isCancelled = true
  run.cancel?.()
  // The run can be cancelled only once it is known, so the request must not be aborted yet. A durable agent responds
  // within two seconds. Other agents are stopped later.
  if (run.cancel === null && route.startsWith('POST /agent/')) setTimeout(() => run.controller.abort(), 3000)
  else run.controller.abort()
}

function createMutationRun(context: RequestContext<MutationOptions>, input?: unknown[]): MutationRun {
  const { identity, options } = context
  const changes = createOptimisticChanges(context)
  try {
    if (input) options.optimistic?.(changes, ...(input as never[]))
  } catch (error) {
    changes.end(false)
    throw error
  }
  return { controller: new AbortController(), input, changes, owner: identity, isStream: !input }
}

/** Sends a run's request through the MutationCache, so that devtools and the app's own callbacks can observe it. */
function executeRun(
  run: MutationRun,
  latest: LatestContext,
  { onReply, onRun, onEnd }: MutationEvents,
): Promise<unknown> {
  const { queryClient, route } = latest()
  run.cancel = null
  const noteRun = (next: RunState, cancelRun: () => void): void => {
    run.isOld ||= !run.cancel && !run.input && next.endedAt
    run.cancel = cancelRun
    run.isStream = true
    if (run.isCancelled) cancelMutationRun(run, route)
    else onRun(next)
  }
  const mutation = queryClient
    .getMutationCache()
    .build(queryClient, { mutationKey: [route], mutationFn, retry: false, networkMode: 'always' })
  return mutation.execute(run.input?.[0])

  async function mutationFn(): Promise<unknown> {
    const { options, ...context } = latest()
    const [input, overrides = {}] = toArguments(route, run.input ?? [])
    const headers = { ...options.headers, ...overrides.headers }
    // A request belongs to its user: it must not be sent with the next user's token or reported to the next user.
    const isOfOtherUser = (): unknown => run.owner && run.owner !== identityOf(context.client)
    if (isOfOtherUser()) run.controller.abort()
    const signals = [run.controller.signal, options.signal, overrides.signal]
    // It is not an error if there is no run to follow.
    const isQuiet = (): unknown => run.isOld || !(run.input || run.cancel)
    let outcome: MutationOutcome = { status: 'idle' }
    try {
      const data = await sendRequest(
        {
          ...context,
          options: { ...options, ...overrides, headers, run: run.input ? undefined : 'newest', onRun: noteRun },
        },
        { input, signals, observers: () => (isOfOtherUser() || run.isCancelled ? [] : [latest]), isQuiet, onReply },
      )
      outcome = { status: 'success', data }
      return data
    } catch (error) {
      if (isApiError(error) && !run.isCancelled && (run.input || run.cancel)) outcome = { status: 'error', error }
      throw error
    } finally {
      const isSuccess = outcome.status === 'success'
      run.changes.end(isSuccess, isSuccess && !run.isOld ? latest().options.invalidates : [])
      onEnd(outcome)
    }
  }
}
