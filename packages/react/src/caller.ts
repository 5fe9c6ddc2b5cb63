import type { QueryClient } from '@tanstack/react-query'
import { isApiError, type ApiError } from '@sdk/protocol'
import { toApiError, type GatherOptions, type HttpClient, type SendOptions } from '@sdk/frontend'
import { useSdk } from './sdk-context.ts'
import { useIdentity } from './use-auth.ts'

/** Who calls which route, and how. */
export interface Caller<Options = SendOptions> {
  readonly client: HttpClient
  readonly queries: QueryClient
  /** Who is signed in, by id: null for nobody, undefined while that is not known. */
  readonly identity: string | null | undefined
  readonly route: string
  readonly options: Options
}

/** What a component hears of its requests. */
export interface CallCallbacks {
  onChunk?: ((chunk: never) => unknown) | undefined
  onSuccess?: ((data: never) => unknown) | undefined
  onError?: ((error: ApiError) => unknown) | undefined
}

/** A component that hears of requests, as it was last rendered. */
export type Watcher = () => { options: CallCallbacks }

/** A request with what it is made of, and who hears of its chunks. */
export interface Exchange {
  readonly input?: unknown
  readonly options: SendOptions & { signal: AbortSignal }
  /** The answer begins to come. */
  begin(isStream: boolean): GatherOptions
}

/** The component that is rendered now, as a caller. */
export function useCaller<Options>(route: string, options: Options): Caller<Options> {
  const { client, queryClient } = useSdk()
  return { client, queries: queryClient as QueryClient, identity: useIdentity(), route, options }
}

/** Sends a request and reads all of its answer. Rejects with an `ApiError`, or with the abort. */
export async function exchange(
  { client, route }: Pick<Caller, 'client' | 'route'>,
  { input, options, begin }: Exchange,
): Promise<unknown> {
  const { signal } = options
  try {
    const reply = await client.send(route, input, options)
    const watching = begin(reply.kind === 'stream')
    signal.throwIfAborted()
    const data = reply.kind === 'value' ? reply.value : await reply.gather(watching)
    signal.throwIfAborted()
    return data
  } catch (thrown) {
    signal.throwIfAborted()
    throw toApiError(thrown)
  }
}

/** Calls back when a request has ended; a stop is no end. */
export function announce(request: Promise<unknown>, watchers: () => Watcher[]): void {
  const tell = (how: (callbacks: CallCallbacks) => unknown): void => {
    // Later, when the state tells of it too; and one that throws takes nothing from others: the page hears of it.
    for (const watcher of watchers()) setTimeout(() => how(watcher().options))
  }
  request.then(
    (data) => tell(({ onSuccess }) => onSuccess?.(data as never)),
    (error: unknown) => isApiError(error) && tell(({ onError }) => onError?.(error)),
  )
}
