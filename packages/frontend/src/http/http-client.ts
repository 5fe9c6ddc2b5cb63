import {
  RUN_ID_HEADER,
  type CallOutput,
  type ExpandName,
  type ExpandRequired,
  type RouteName,
  type RouteOf,
} from '@sdk/protocol'
import type { AuthSource } from '../auth/auth-source.ts'
import { authorize } from './authorize.ts'
import { resolveBaseUrl } from './base-url.ts'
import { toArguments, type CallArguments, type CallOptions, type ExchangeOptions, type SendOptions } from './call.ts'
import { systemClock, type Clock } from '../clock.ts'
import type { WebSocketClass } from '../socket/socket-connection.ts'
import { withDeadline } from './deadline.ts'
import { toRequest } from './request.ts'
import { assertOk, readReply, type Reply } from './response.ts'
import { withRetries } from './retries.ts'
import { buildUrl, type UrlOptions } from './url.ts'

/** Options for `createClient`. */
export interface ClientOptions {
  /**
   * The URL of the server. Required only outside a full-stack project.
   * @default the page's origin, or `SDK_BASE_URL`
   */
  baseUrl?: string | undefined
  /** The function that sends requests. @default the platform's `fetch`, looked up on each request */
  fetch?: typeof globalThis.fetch | undefined
  /** The class that opens sockets. Required in Node.js before version 22. @default the platform's `WebSocket` */
  WebSocket?: WebSocketClass | undefined
  /** The source of the user's token, which is sent with every request and socket. @default no token */
  auth?: AuthSource | undefined
  /** The time in ms after which a call rejects with the code `TIMEOUT`. @default none */
  timeoutMs?: number | undefined
  /** The maximum number of retries for requests that are safe to repeat. @default 3 */
  retry?: number | false | undefined
  /** Whether to send cookies, as in `fetch`. @default 'same-origin' */
  credentials?: RequestCredentials | undefined
  /** The source of time. @default the system clock */
  clock?: Clock | undefined
}

/** A client for calls and streams. */
export interface HttpClient {
  /** The client's options. */
  readonly options: Readonly<ClientOptions>
  // Without this overload, TypeScript could not infer the names in `expand`, because a payload can have any type and
  // provides no contextual type.
  /**
   * Calls a route and adds relations and computed values to the items of its result.
   * @example await client.call('GET /api/v1/articles', { query: { expand: ['author', 'commentCount'] } })
   */
  call<R extends RouteName, const I extends ExpandName<R>>(
    route: R,
    options: CallOptions<NoInfer<R>, I> & ExpandRequired<I>,
  ): Promise<CallOutput<R, I>>
  /**
   * Calls a route and resolves with its payload: a parsed JSON value, an array with the chunks of a stream, null for an
   * empty body, or a `Blob` for anything else. Rejects with an `ApiError`, or with the abort reason. POST, PUT and
   * PATCH accept a payload and options; all other methods accept only options. If the connection to a durable agent is
   * lost, or the agent waits for an event, the client follows the agent's run until it ends.
   * @example await client.call('GET /api/v1/tasks', { query: { done: false } })
   * @example await client.call('POST /api/v1/tasks', { title: 'Tea' })
   * @example await client.call('PATCH /api/v1/tasks/:id', { done: true }, { params: { id: 7 } })
   */
  call<R extends RouteName>(route: R, ...rest: CallArguments<NoInfer<R>>): Promise<CallOutput<R>>
  /**
   * Calls a route and yields its chunks as they arrive. A route that does not stream yields a single chunk. Leaving the
   * loop aborts the request. An error in the stream is thrown after the preceding chunks. If a durable agent retracts
   * chunks and there is no `onRetract`, `RUN_RETRACTED` is thrown.
   * @example for await (const chunk of client.stream('POST /agent/summarize', { text })) show(chunk)
   */
  stream<R extends RouteName>(route: R, ...rest: CallArguments<NoInfer<R>>): AsyncGenerator<RouteOf<R>['output'], void>
  /** Sends a request to any route; `call`, `stream` and the hooks use it. */
  send(route: string, input: unknown, options?: SendOptions): Promise<Reply>
  /** Returns the URL of a path on the server. */
  url(path: string, options?: UrlOptions): string
  /** Returns a client with the same options that sends the token from this source. */
  withAuth(auth: AuthSource): HttpClient
  /** Sends the requests that wait. Live data is requested afterwards. @default no requests wait */
  flush?(): Promise<unknown> | undefined
}

/** A pattern for the routes that return all or part of the result of a durable agent's run. */
const RUN_ROUTE = /^POST|\/chunks$/

/** Creates a client without sockets, for smaller bundles. */
export function createHttpClient(options: ClientOptions = {}): HttpClient {
  const { auth, clock = systemClock } = options
  const withAuth = (source: AuthSource): HttpClient => createHttpClient({ ...options, auth: source })
  return { options, call, stream, send, url, withAuth } as HttpClient

  async function call(route: string, ...rest: unknown[]): Promise<unknown> {
    const [input, sending] = toArguments(route, rest)
    const reply = await send(route, input, sending)
    return reply.kind === 'value' ? reply.value : reply.collect(sending)
  }

  async function* stream(route: string, ...rest: unknown[]): AsyncGenerator<unknown, void> {
    const reply = await send(route, ...toArguments(route, rest))
    if (reply.kind === 'value') yield reply.value
    else yield* reply.chunks
  }

  function send(route: string, input: unknown, given: SendOptions = {}): Promise<Reply> {
    const { timeoutMs = options.timeoutMs, retry = options.retry ?? 3, run } = given
    return withDeadline({ ...given, clock, timeoutMs }, async (signal) => {
      const sending = { ...given, input, retry: Number(retry), signal }
      const reply =
        run ??
        (await exchange<Reply | Response>(route, sending, (response) =>
          response.headers.has(RUN_ID_HEADER) && RUN_ROUTE.test(route) ? response : readReply(response, sending),
        ))
      if (typeof reply === 'object' && 'kind' in reply) return reply
      // Loaded on first use, since most apps have no durable agents.
      const { follow } = await import('./follow-run.ts')
      return follow(reply, { ...sending, route, clock, exchange })
    })
  }

  /** Sends a request, and retries it if that is safe. `read` reads a successful response. */
  async function exchange<T>(
    route: string,
    sending: ExchangeOptions,
    read: (response: Response) => T | Promise<T>,
  ): Promise<T> {
    const { credentials = options.credentials, retry, signal } = sending
    const request = toRequest(route, sending)
    const target = url(request.path, sending)
    const renew = await authorize(request.headers, auth)
    // The type `RequestInit` lacks `duplex`, which is required to send a stream.
    const init = { ...request, credentials, signal, duplex: 'half' } as RequestInit
    // Looked up on each request, so that later replacements (mocks, instrumentation) are used.
    const open = (): Promise<Response> => (options.fetch ?? globalThis.fetch)(target, init)
    // A stream can only be sent once.
    const canRepeat = !(request.body instanceof ReadableStream)
    const attempt = async (): Promise<T> => {
      let response = await open()
      if (response.status === 401 && canRepeat && (await renew())) {
        // The first response is not read. Canceling it fails if its connection has been lost.
        void response.body?.cancel().catch(() => {})
        response = await open()
      }
      await assertOk(response)
      return read(response)
    }
    return withRetries(attempt, { ...request, retry: canRepeat ? retry : 0, clock, signal })
  }

  function url(path: string, parts?: UrlOptions): string {
    return buildUrl(resolveBaseUrl(options.baseUrl), path, parts)
  }
}
