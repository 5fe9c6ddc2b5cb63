import type {
  CallOutput,
  ExpandName,
  OptionsArgument,
  ParamsOption,
  QueryOption,
  RouteName,
  SocketName,
} from '@sdk/protocol'
import { createHttpClient, type ClientOptions, type HttpClient } from './http/http-client.ts'
import type { UrlOptions } from './http/url.ts'
import { openChannel, type ChannelOf, type SocketArguments } from './socket/open-channel.ts'

/** The routes that can be watched: all `GET` routes. */
export type WatchedRoute = string extends RouteName ? string : Extract<RouteName, `GET ${string}`>

/** The parameters of a route. `I` is the union of the names in `expand`. */
export type WatchTarget<R extends string, I> = ParamsOption<R> & QueryOption<R, I>

/** A client for calls, streams and sockets. */
export interface Client extends HttpClient {
  /**
   * Opens a socket. Callers that open the same path share its connection.
   * @example
   * const chat = client.socket('/ws/chat')
   * chat.onMessage(show)
   * chat.send({ text: 'Hello' })
   */
  socket<S extends SocketName>(path: S, ...options: SocketArguments<S>): ChannelOf<S>
  /**
   * Yields the data of a live GET route, and yields it again after every change. The data must not be modified. A slow
   * reader receives only the newest data. While the connection is down, the loop waits. Throws an `ApiError` if the
   * server ends the subscription, or the signal's reason.
   * @example for await (const page of client.watch('GET /api/v1/tasks', { query }, { signal })) show(page.data)
   */
  watch<R extends WatchedRoute, const I extends ExpandName<R> = never>(
    route: R,
    ...target: OptionsArgument<WatchTarget<R, I>>
  ): AsyncGenerator<CallOutput<R, I>, void>
  /** Yields the data of a live GET route until the signal is aborted. */
  watch<R extends WatchedRoute, const I extends ExpandName<R> = never>(
    route: R,
    target: WatchTarget<R, I>,
    options: { signal?: AbortSignal | undefined },
  ): AsyncGenerator<CallOutput<R, I>, void>
}

/**
 * Creates a client for calls, streams and sockets, typed by the server's routes. Inside a full-stack project, no
 * options are needed. In React, the hooks in `@sdk/react` provide a client.
 * @example const client = createClient({ baseUrl: 'https://api.example.com' })
 */
export function createClient(options: ClientOptions = {}): Client {
  const http = createHttpClient(options)
  return { ...http, socket: (path, ...rest) => openChannel(http, path, ...rest), watch } as Client

  async function* watch(
    route: string,
    target?: UrlOptions,
    given?: { signal?: AbortSignal },
  ): AsyncGenerator<unknown, void> {
    // Loaded on first use, since most apps watch data with hooks.
    const { watchRoute } = await import('./live/watch-route.ts')
    yield* watchRoute(http, { ...target, route }, given?.signal)
  }
}
