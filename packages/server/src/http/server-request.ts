import type { RequestAuth } from '../auth/identity.ts'
import type { RequestObserver } from '../observe/request-observer.ts'

/** A request, independent of its adapter. */
export interface ServerRequest {
  readonly method: string
  /** The request target as sent: the path and query, without decoding. */
  readonly target: string
  /** The remote address of the connection. */
  readonly ip: string
  /** Whether the connection uses TLS. */
  readonly isSecure: boolean
  /** The caller's identity, if the adapter has already determined it. Otherwise the app authenticates the request. */
  readonly auth?: RequestAuth
  /** The request's observer, present only in development. */
  readonly observer?: RequestObserver
  /** Returns a header by its lower-case name, or null if it is missing. */
  header(name: string): string | null
  /** All headers as received, as a flat list of alternating names and values. */
  readonly rawHeaders: readonly string[]
  /** A signal that aborts when the client disconnects. Created on first use. */
  readonly signal: AbortSignal
  /**
   * Returns the entire body as text. Throws 413 if it exceeds `limit` bytes, and 400 if it is not UTF-8. The body is
   * read once and cached. Returns a string rather than a promise if the body has already been received.
   */
  text(limit: number): string | Promise<string>
  /** Keeps the platform running until work has finished, on platforms that otherwise stop after the response. */
  waitUntil?(work: Promise<unknown>): void
  /** The request as a web `Request`. Created on first use. */
  readonly request: Request
}
