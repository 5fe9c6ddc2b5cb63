import type { RequestAuth } from '../auth/identity.ts'
import type { RequestObserver } from '../observe/request-observer.ts'

/** A request, independent of its adapter. */
export interface ServerRequest {
  readonly method: string
  /** The request target as sent: path and query, not decoded. */
  readonly target: string
  /** The remote address of the connection. */
  readonly ip: string
  /** Whether the connection uses TLS. */
  readonly isSecure: boolean
  /** The identity of the caller, if the adapter knows it; otherwise the app authenticates the request. */
  readonly auth?: RequestAuth
  /** The observer of the request, in development only. */
  readonly observer?: RequestObserver
  /** Returns a header by its lower-case name; null if missing. */
  header(name: string): string | null
  /** All headers as received: a name, its value, the next name. */
  readonly rawHeaders: readonly string[]
  /** A signal that aborts when the client disconnects. Created on first use. */
  readonly signal: AbortSignal
  /**
   * Returns the whole body as text. Throws 413 for more than `limit` bytes, and 400 if it is not UTF-8.
   * Reads it once and caches it. Returns a string instead of a promise if all of it has arrived.
   */
  text(limit: number): string | Promise<string>
  /** The request as a web `Request`. Created on first use. */
  readonly request: Request
}
