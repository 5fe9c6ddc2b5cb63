import { isApiError, type ApiError } from '@sdk/protocol'
import { toArguments, type GatherOptions, type SendOptions } from '@sdk/frontend'
import { exchange, type CallCallbacks, type Caller } from './caller.ts'
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
export interface RunEvents {
  /** Its answer comes in chunks. */
  begin(run: Run): GatherOptions
  end(run: Run, how: RunEnd): void
}

/** Makes a run, with its changes to the cache. */
export function createRun({ queries, identity, options }: Caller<CallSettings>, input: unknown[]): Run {
  const changes = createOptimisticChanges(queries, identity ?? null)
  try {
    options.optimistic?.(changes, ...(input as never[]))
  } catch (error) {
    changes.end(false)
    throw error
  }
  return { controller: new AbortController(), input, changes, owner: identity, isStream: false }
}

/** Sends the request of a run, in the MutationCache: so the devtools see it, and so does what the app has there. */
export function execute(run: Run, latest: () => Caller<CallSettings>, events: RunEvents): Promise<unknown> {
  const { queries, route } = latest()
  const mutation = queries.getMutationCache().build(queries, {
    mutationKey: [route],
    mutationFn: () => perform(run, latest, events),
    networkMode: 'always',
    retry: 0,
  })
  return mutation.execute(run.input[0])
}

async function perform(run: Run, latest: () => Caller<CallSettings>, events: RunEvents): Promise<unknown> {
  const end = (how: RunEnd): void => {
    run.changes.end(how.status === 'success')
    events.end(run, how)
  }
  try {
    const data = await sendRun(run, latest(), () => events.begin(run))
    end({ status: 'success', data })
    const { queries, options } = latest()
    for (const route of options.invalidates ?? []) void queries.invalidateQueries({ queryKey: [route] })
    return data
  } catch (error) {
    end(isApiError(error) ? { status: 'error', error } : { status: 'idle' })
    throw error
  }
}

function sendRun(run: Run, caller: Caller<CallSettings>, begin: () => GatherOptions): Promise<unknown> {
  const { options } = caller
  const [input, overrides = {}] = toArguments(caller.route, run.input)
  const others = [options.signal, overrides.signal].filter((signal) => signal !== undefined)
  const signal = AbortSignal.any([run.controller.signal, ...others])
  const headers = { ...options.headers, ...overrides.headers }
  return exchange(caller, {
    input,
    options: { ...options, ...overrides, headers, signal },
    begin(isStream) {
      run.isStream = isStream
      return isStream ? begin() : {}
    },
  })
}
