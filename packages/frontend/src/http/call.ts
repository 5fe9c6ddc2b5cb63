import type { ExpandName, ParamsOption, QueryOption, RouteArguments, RouteOf, Run } from '@sdk/protocol'
import type { UrlOptions } from './url.ts'

/** Options for every request. */
export interface RequestOptions {
  /** Additional request headers. */
  headers?: Readonly<Record<string, string>> | undefined
  /** The signal that aborts the request; the call then rejects with the signal's reason. @default never */
  signal?: AbortSignal | undefined
  /** The string that separates the chunks of a streamed response. @default depends on the content type */
  delimiter?: string | undefined
  /**
   * The time in ms after which the call rejects with the code `TIMEOUT`. The timeout covers all retries, but not the
   * chunks of a stream that has started. `Infinity` disables the timeout.
   * @default the client's `timeoutMs`
   */
  timeoutMs?: number | undefined
  /**
   * The maximum number of retries, each after the delay that the server requests. GET, HEAD, PUT, DELETE, OPTIONS and
   * requests with an `Idempotency-Key` are retried after 429 and 503. Reads and requests with a key are also retried
   * after 502, 504 and network errors, at most twice. @default the client's `retry`
   */
  retry?: number | false | undefined
  /** Whether to send cookies, as in `fetch`. @default the client's `credentials` */
  credentials?: RequestCredentials | undefined
}

/** The state of a durable agent's run, as its caller sees it. */
export type RunState = Pick<Run, 'id' | 'status' | 'waiting'> & Partial<Pick<Run, 'endedAt'>>

/** Options for a call to a durable agent. */
export interface RunOptions {
  /**
   * The id of the thread to which the run belongs, such as the id of a conversation. A thread has one run at a time.
   * @default none
   */
  thread?: string | undefined
  /**
   * Called before further chunks if all chunks after the first `keep` must be discarded, because another process has
   * continued the run from its last finished step.
   */
  onRetract?: ((keep: number) => unknown) | undefined
}

/** Whether the route is a durable agent, or may be one because it is not registered. */
export type IsDurable<R extends string> = [RouteOf<R>] extends [{ durable: infer Durable }]
  ? true extends Durable
    ? true
    : false
  : false

/** The `RunOptions`, if the route is a durable agent. */
export type DurableOption<R extends string> = IsDurable<R> extends true ? RunOptions : {}

/** Options for a call. `params` is required if the path has parameters; `query` is typed if the route declares it. */
export type CallOptions<R extends string = string, I = ExpandName<R>> = RequestOptions &
  ParamsOption<R> &
  QueryOption<R, I> &
  DurableOption<R>

/** The arguments after the route: a payload and options for POST, PUT and PATCH, only options for all other methods. */
export type CallArguments<R extends string> = RouteArguments<R, CallOptions<R>>

/** Untyped options for a request. */
export interface SendOptions extends RequestOptions, UrlOptions, RunOptions {
  /**
   * The id of the durable agent's run to follow instead of starting a new one, or `newest` for the newest run of the
   * thread. The payload is ignored. @default a new run
   */
  run?: string | undefined
  /**
   * Called with the state of a durable agent's run when the run starts, and when its status may have changed. `cancel`
   * cancels the run, also after the call was aborted.
   */
  onRun?: ((run: RunState, cancel: () => void) => unknown) | undefined
}

/** The options of a single request, with its payload. */
export interface ExchangeOptions extends SendOptions {
  input?: unknown
  retry: number
  signal: AbortSignal
}

/** A function that sends a request, and retries it if that is safe. `read` reads a successful response. */
export type Exchange = <T>(
  route: string,
  options: ExchangeOptions,
  read: (response: Response) => T | Promise<T>,
) => Promise<T>

/** Splits the arguments after the route into the payload, if the method has one, and the options. */
export function toArguments(route: string, rest: readonly unknown[]): [input: unknown, options?: SendOptions] {
  // The methods with a payload all start with P: POST, PUT and PATCH.
  return (route.startsWith('P') ? rest : [undefined, rest[0]]) as ReturnType<typeof toArguments>
}
