import type { RequestAuth } from '../auth/identity.ts'
import type { RequestObserver } from '../observe/request-observer.ts'

/** One request as the core sees it, whichever adapter it came through. */
export interface ServerRequest {
  readonly method: string
  /** The request target as it was sent: path and query, not decoded. */
  readonly target: string
  /** The address at the other end of the connection. */
  readonly ip: string
  /** Did it come over TLS? */
  readonly isSecure: boolean
  /** The caller, where the adapter knows it; otherwise the app authenticates. */
  readonly auth?: RequestAuth
  /** The observer of the request, in development only. */
  readonly observer?: RequestObserver
  /** A header by its lower-case name; null where it is absent. */
  header(name: string): string | null
  /** All headers as they came: a name, its value, the next name. */
  readonly rawHeaders: readonly string[]
  /** Aborts when the client disconnects. Created on first use. */
  readonly signal: AbortSignal
  /**
   * The whole body as text; more than `limit` bytes is 413, what is not UTF-8 is 400.
   * Read once, then kept; no promise where all of it is here.
   */
  text(limit: number): string | Promise<string>
  /** The request as a web `Request`. Created on first use. */
  readonly request: Request
}
