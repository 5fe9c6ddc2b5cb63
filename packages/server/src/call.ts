/** One request as the core sees it, whichever door it came through. */
export interface Call {
  readonly method: string
  /** The request target as it was sent: path and query, not decoded. */
  readonly target: string
  /** The address of the caller. */
  readonly ip: string
  /** A header by its lower-case name; null where it is absent. */
  header(name: string): string | null
  /** Aborts when the caller goes away. Made on first use. */
  readonly signal: AbortSignal
  /** The whole body; more than `limit` bytes is 413. Read once, then kept. */
  bytes(limit: number): Promise<Uint8Array>
  /** The request in the words of the web platform. Made on first use. */
  readonly request: Request
}

/** The pieces of a streamed body. */
export type ReplyStream = AsyncIterable<string | Uint8Array>

/** One answer as the core gives it; the doors turn it into bytes. */
export interface Reply {
  status: number
  /** By lower-case name; several values only for `set-cookie`. */
  headers: Record<string, string | string[]>
  body: string | Uint8Array | ReplyStream | null
}

/** Is this body sent piece by piece? */
export function isStream(body: Reply['body']): body is ReplyStream {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}
