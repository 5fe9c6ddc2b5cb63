import type { QueryClient } from '@tanstack/react-query'
import type { ApiError } from '@sdk/protocol'
import { toApiError, type HttpClient, type SendOptions } from '@sdk/frontend'
import { collect, type CollectOptions } from './collect.ts'
import { createOptimisticChanges, type OptimisticCache, type OptimisticChanges } from './optimistic.ts'

/** What a call is made of; read when it is made. */
export interface CallInput {
  readonly client: HttpClient
  readonly queries: QueryClient
  /** Who is signed in: null for nobody, undefined while that is not known. */
  readonly identity: string | null | undefined
  readonly route: string
  readonly options: CallSettings
}

/** What a component hears of its calls; each as it was last rendered. */
export interface CallCallbacks {
  onChunk?: ((chunk: never) => unknown) | undefined
  onSuccess?: ((data: never) => unknown) | undefined
  onError?: ((error: ApiError) => unknown) | undefined
}

/** Options of a route that is not fetched by itself, untyped. */
export interface CallSettings extends SendOptions, CallCallbacks {
  invalidates?: readonly string[] | undefined
  optimistic?: ((cache: OptimisticCache, ...input: never[]) => void) | undefined
  concurrency?: 'parallel' | 'latest' | 'queue' | undefined
}

/** One call, from `invoke` to its end. */
export interface Run {
  readonly controller: AbortController
  /** What `invoke` was given. */
  readonly input: unknown[]
  readonly changes: OptimisticChanges
  /** Who made it. */
  readonly owner: CallInput['identity']
  isStream: boolean
  /** Why it failed; a stop is no failure. */
  error: ApiError | null
}

/** How a run ended. */
export type RunEnd = { status: 'idle' } | { status: 'success'; data: unknown } | { status: 'error'; error: ApiError }

/** Who hears of a run. */
export interface RunEvents {
  latest(): CallInput
  /** Its answer comes in chunks. */
  begin(run: Run): CollectOptions
  end(run: Run, how: RunEnd): void
}

/** Makes a run, with its changes to the cache. */
export function createRun({ queries, identity, options }: CallInput, input: unknown[]): Run {
  const changes = createOptimisticChanges(queries, identity ?? null)
  try {
    options.optimistic?.(changes, ...(input as never[]))
  } catch (error) {
    changes.end(false)
    throw error
  }
  return { controller: new AbortController(), input, changes, owner: identity, isStream: false, error: null }
}

/** Sends the request of a run, in the MutationCache: so the devtools see it, and so does what the app has there. */
export function execute(run: Run, events: RunEvents): Promise<unknown> {
  const { queries, route } = events.latest()
  const mutation = queries.getMutationCache().build(queries, {
    mutationKey: [route],
    mutationFn: () => sendRun(run, events),
    networkMode: 'always',
    retry: 0,
  })
  return mutation.execute(run.input[0])
}

/** Calls back when a call has ended. This also marks its rejection as handled; what the callbacks throw still shows. */
export function announce(promise: Promise<unknown>, run: Run, latest: () => CallInput): Promise<unknown> {
  void promise.then(
    (data) => {
      const { queries, options } = latest()
      for (const route of options.invalidates ?? []) void queries.invalidateQueries({ queryKey: [route] })
      return options.onSuccess?.(data as never)
    },
    () => run.error && latest().options.onError?.(run.error),
  )
  return promise.catch(() => {})
}

async function sendRun(run: Run, events: RunEvents): Promise<unknown> {
  const { client, route, options } = events.latest()
  const overrides = overridesOf(route, run.input)
  const others = [options.signal, overrides.signal].filter((signal) => signal !== undefined)
  const signal = AbortSignal.any([run.controller.signal, ...others])
  try {
    signal.throwIfAborted()
    const headers = { ...options.headers, ...overrides.headers }
    const payload = hasPayload(route) ? run.input[0] : undefined
    const reply = await client.send(route, payload, { ...options, ...overrides, headers, signal })
    const data = reply.kind === 'value' ? reply.value : await collect(reply.chunks, events.begin(run))
    signal.throwIfAborted()
    events.end(run, { status: 'success', data })
    return data
  } catch (thrown) {
    if (!signal.aborted) run.error = toApiError(thrown)
    events.end(run, run.error === null ? { status: 'idle' } : { status: 'error', error: run.error })
    throw run.error ?? thrown
  }
}

function overridesOf(route: string, input: unknown[]): SendOptions {
  return (hasPayload(route) ? input[1] : input[0]) ?? {}
}

function hasPayload(route: string): boolean {
  return /^(?:POST|PUT|PATCH) /.test(route)
}
