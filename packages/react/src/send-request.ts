import type { QueryClient } from '@tanstack/react-query'
import type { ApiError } from '@sdk/protocol'
import { toApiError, type CollectOptions, type HttpClient, type SendOptions } from '@sdk/frontend'
import { useIdentity, useSdk } from './sdk-context.ts'

/** Who calls which route, and how. */
export interface RequestContext<Options = SendOptions> {
  readonly client: HttpClient
  readonly queryClient: QueryClient
  /** Who is signed in, by id: null for nobody, undefined while that is not known. */
  readonly identity: string | null | undefined
  readonly route: string
  readonly options: Options
}

/** What a component hears of its requests. */
export interface RequestCallbacks {
  onChunk?: ((chunk: never) => unknown) | undefined
  onSuccess?: ((data: never) => unknown) | undefined
  onError?: ((error: ApiError) => unknown) | undefined
}

/** A component that hears of requests, as it was last rendered. */
export type RequestObserver = () => { options: RequestCallbacks }

/** What a request has of its own, and who hears of it. */
export interface SendRequestOptions {
  readonly input?: unknown
  /** Any of them stops it. */
  readonly signals: readonly (AbortSignal | undefined)[]
  /** The components that hear of it, whenever there is something to hear. */
  observers(): RequestObserver[]
  /** The answer begins to come; returns what shows its chunks. */
  onReply(isStream: boolean): CollectOptions['show']
}

/** The component that is rendered now, as a caller. */
export function useRequestContext<Options>(route: string, options: Options): RequestContext<Options> {
  const sdk = useSdk() as Pick<RequestContext, 'client' | 'queryClient'>
  return { ...sdk, identity: useIdentity(sdk.client), route, options }
}

/** Sends a request, reads all of its answer and calls back. Rejects with an `ApiError`, or with the abort. */
export async function sendRequest(
  { client, route, options }: Omit<RequestContext, 'queryClient'>,
  own: SendRequestOptions,
): Promise<unknown> {
  const signal = AbortSignal.any(own.signals.filter((each) => !!each))
  const tell = (how: (callbacks: RequestCallbacks) => unknown): void => {
    // In tasks of their own: the state is up to date by then, and a callback that throws does not stop the others.
    for (const watcher of own.observers()) setTimeout(() => how(watcher().options))
  }
  try {
    const reply = await client.send(route, own.input, { ...options, signal })
    const show = own.onReply(reply.kind === 'stream')
    signal.throwIfAborted()
    const data = reply.kind === 'value' ? reply.value : await reply.collect({ show, onChunk })
    signal.throwIfAborted()
    tell(({ onSuccess }) => onSuccess?.(data as never))
    return data
  } catch (thrown) {
    signal.throwIfAborted()
    const error = toApiError(thrown)
    tell(({ onError }) => onError?.(error))
    throw error
  }

  /** Every component hears of every chunk, and the next one waits for all of them. */
  function onChunk(chunk: unknown): unknown {
    const waits = own.observers().map((watcher) => watcher().options.onChunk?.(chunk as never))
    return waits.length > 1 ? Promise.all(waits) : waits[0]
  }
}
