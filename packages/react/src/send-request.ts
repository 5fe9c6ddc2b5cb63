import type { QueryClient } from '@tanstack/react-query'
import type { ApiError } from '@sdk/protocol'
import { toApiError, type CollectOptions, type HttpClient, type SendOptions } from '@sdk/frontend'
import { useIdentity, useSdk, type LiveData } from './sdk-context.ts'

/** A route with its options, the clients that send the request, and the user for whom it is sent. */
export interface RequestContext<Options = SendOptions> {
  readonly client: HttpClient
  readonly queryClient: QueryClient
  /** The signed-in user's id, null if no user is signed in, or undefined while auth is loading. */
  readonly identity: string | null | undefined
  readonly route: string
  readonly options: Options
  readonly live?: LiveData | undefined
}

/** The state of a route in a component. `isLoading`, `isSuccess` and `isError` are derived from `status`. */
export interface RequestState {
  readonly status: 'idle' | 'loading' | 'success' | 'error'
  readonly data: unknown
  readonly error: ApiError | null
  readonly isStreaming: boolean
  /** The number of chunks in the current or last stream. */
  readonly chunks: number
}

/** The callbacks of a component. */
export interface RequestCallbacks {
  onChunk?: ((chunk: never) => unknown) | undefined
  onRetract?: ((keep: number) => unknown) | undefined
  onSuccess?: ((data: never) => unknown) | undefined
  onError?: ((error: ApiError) => unknown) | undefined
}

/** A function that returns the options from the last render of a component that observes requests. */
export type RequestObserver = () => { options: RequestCallbacks }

/** Options for `sendRequest`. */
export interface SendRequestOptions {
  readonly input?: unknown
  /** The signals that abort the request. */
  readonly signals: readonly (AbortSignal | undefined)[]
  /** Returns the components to notify. Called for each event. */
  observers(): RequestObserver[]
  /** Returns whether `onSuccess` and `onError` must not be called. */
  isQuiet?(): unknown
  /** Called when the response starts. Returns a function that displays its chunks. */
  onReply(isStream: boolean): CollectOptions['show']
}

/** Returns the request context of the rendering component. */
export function useRequestContext<Options extends { live?: unknown }>(
  route: string,
  options: Options,
): RequestContext<Options> {
  const sdk = useSdk() as Pick<RequestContext, 'client' | 'queryClient' | 'live'>
  if (options.live && !sdk.live) throw new TypeError('live must be used within <SdkProvider live>')
  return { ...sdk, identity: useIdentity(sdk.client), route, options }
}

/** Sends a request, reads the response and notifies the observers. Rejects with an `ApiError` or the abort reason. */
export async function sendRequest(
  { client, route, options }: Omit<RequestContext, 'queryClient'>,
  { input, signals, observers, isQuiet, onReply }: SendRequestOptions,
): Promise<unknown> {
  const signal = AbortSignal.any(signals.filter(Boolean) as AbortSignal[])
  const notify = (name: 'onSuccess' | 'onError', value: unknown): void => {
    if (isQuiet?.()) return
    // Callbacks run in separate tasks, so that the state is up to date and an error in one does not stop the others.
    for (const observer of observers()) setTimeout(() => observer().options[name]?.(value as never))
  }
  try {
    const reply = await client.send(route, input, { ...options, signal })
    const show = onReply(reply.kind === 'stream')
    signal.throwIfAborted()
    const data =
      reply.kind === 'value'
        ? reply.value
        : await reply.collect({ show, onChunk: callEach('onChunk'), onRetract: callEach('onRetract') })
    signal.throwIfAborted()
    notify('onSuccess', data)
    return data
  } catch (thrown) {
    signal.throwIfAborted()
    const error = toApiError(thrown)
    notify('onError', error)
    throw error
  }

  /** Returns a function that calls every observer. The next chunk waits for all of them. */
  function callEach(name: 'onChunk' | 'onRetract'): (value: unknown) => unknown {
    return (value) => {
      const waits = observers().map((observer) => observer().options[name]?.(value as never))
      return waits.length > 1 ? Promise.all(waits) : waits[0]
    }
  }
}
