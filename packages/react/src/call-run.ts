import { isApiError, type ApiError } from '@sdk/protocol'
import { toArguments, type SendOptions } from '@sdk/frontend'
import { sendRequest, type RequestCallbacks, type RequestContext, type SendRequestOptions } from './send-request.ts'
import { identityOf } from './sdk-context.ts'
import { createOptimisticChanges, type OptimisticCache, type OptimisticChanges } from './optimistic.ts'

/** Options of a route that is not fetched by itself, untyped. */
export interface MutationOptions extends SendOptions, RequestCallbacks {
  invalidates?: readonly string[] | undefined
  optimistic?: ((cache: OptimisticCache, ...input: never[]) => void) | undefined
  concurrency?: 'parallel' | 'latest' | 'queue' | undefined
}

/** One call, from `invoke` to its end. */
export interface MutationRun {
  readonly controller: AbortController
  /** What `invoke` was given. */
  readonly input: unknown[]
  readonly changes: OptimisticChanges
  /** Who made it. */
  readonly owner: RequestContext['identity']
  isStream: boolean
}

/** How a run ended; a stop is no failure. */
export type MutationOutcome =
  | { status: 'idle' }
  | { status: 'success'; data: unknown }
  | { status: 'error'; error: ApiError }

/** Who hears of a run. */
export interface RunEvents extends Pick<SendRequestOptions, 'begin'> {
  end(how: MutationOutcome): void
}

/** Makes a run, with its changes to the cache. */
export function createMutationRun(
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

/** Sends the request of a run, in the MutationCache: so the devtools see it, and so does what the app has there. */
export function executeRun(
  run: MutationRun,
  latest: () => RequestContext<MutationOptions>,
  { onReply: begin, end }: RunEvents,
): Promise<unknown> {
  const { queryClient, route } = latest()
  const mutation = queryClient
    .getMutationCache()
    .build(queryClient, { mutationKey: [route], mutationFn, retry: false, networkMode: 'always' })
  return mutation.execute(run.input[0])

  async function mutationFn(): Promise<unknown> {
    const { options, ...caller } = latest()
    const [input, overrides = {}] = toArguments(route, run.input)
    const headers = { ...options.headers, ...overrides.headers }
    // A call belongs to the user who made it: it is neither sent with the token of the next one, nor reported to them.
    const isOthers = (): unknown => run.owner && run.owner !== identityOf(caller.client)
    if (isOthers()) run.controller.abort()
    const signals = [run.controller.signal, options.signal, overrides.signal]
    let how: MutationOutcome = { status: 'idle' }
    try {
      const sender = { ...caller, options: { ...options, ...overrides, headers } }
      const data = await sendRequest(sender, {
        input,
        signals,
        observers: () => (isOthers() ? [] : [latest]),
        onReply: begin,
      })
      how = { status: 'success', data }
      return data
    } catch (error) {
      if (isApiError(error)) how = { status: 'error', error }
      throw error
    } finally {
      const isSuccess = how.status === 'success'
      run.changes.end(isSuccess, isSuccess ? latest().options.invalidates : [])
      end(how)
    }
  }
}
