import { isApiError, type ApiError } from '@sdk/protocol'
import { toArguments, type SendOptions } from '@sdk/frontend'
import { exchange, type CallCallbacks, type Caller, type Exchange } from './caller.ts'
import { identityOf } from './sdk-context.ts'
import { createOptimisticChanges, type OptimisticCache, type OptimisticChanges } from './optimistic.ts'

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
  readonly owner: Caller['identity']
  isStream: boolean
}

/** How a run ended; a stop is no failure. */
export type RunEnd = { status: 'idle' } | { status: 'success'; data: unknown } | { status: 'error'; error: ApiError }

/** Who hears of a run. */
export interface RunEvents extends Pick<Exchange, 'begin'> {
  end(how: RunEnd): void
}

/** Makes a run, with its changes to the cache. */
export function createRun({ queryClient, identity, options }: Caller<CallSettings>, input: unknown[]): Run {
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
export function sendRun(run: Run, latest: () => Caller<CallSettings>, { begin, end }: RunEvents): Promise<unknown> {
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
    let how: RunEnd = { status: 'idle' }
    try {
      const sender = { ...caller, options: { ...options, ...overrides, headers } }
      const data = await exchange(sender, { input, signals, watchers: () => (isOthers() ? [] : [latest]), begin })
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
