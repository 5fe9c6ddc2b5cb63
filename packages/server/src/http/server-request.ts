import type { RequestAuth } from '../auth/identity.ts'
import type { RequestObserver } from '../observe/request-observer.ts'

/** One request as the core sees it, whichever door it came through. */
export interface ServerRequest {
  readonly method: string
  /** The request target as it was sent: path and query, not decoded. */
  readonly target: string
  /** The address at the other end of the connection. */
  readonly ip: string
  /** Did it come over TLS? */
  readonly isSecure: boolean
  /** Who is calling, where the door knows already; otherwise the app finds out. */
  readonly auth?: RequestAuth
  /** Who watches it, in development; in production nobody does. */
  readonly observer?: RequestObserver
  /** A header by its lower-case name; null where it is absent. */
  header(name: string): string | null
  /** All headers as they came: a name, its value, the next name. */
  readonly rawHeaders: readonly string[]
  /** Aborts when the caller goes away. Made on first use. */
  readonly signal: AbortSignal
  /**
   * The whole body as text; more than `limit` bytes is 413, what is not UTF-8 is 400.
   * Read once, then kept; no promise where all of it is here.
   */
  text(limit: number): string | Promise<string>
  /** The request in the words of the web platform. Made on first use. */
  readonly request: Request
}

/** A body that is made while it is sent: chunks, and how each is written. */
export interface ReplyStream {
  readonly chunks: AsyncIterable<unknown> | Iterable<unknown>
  /** A chunk as it goes over the wire. */
  encode(chunk: unknown): BodyChunk | Promise<BodyChunk>
  /** Logs a failure, and gives what to send last; null: cut the connection, since the bytes cannot say it. */
  encodeError(thrown: unknown): BodyChunk | null
}

/** Text or bytes of a body. */
export type BodyChunk = string | Uint8Array

/** One answer as the core gives it; the doors turn it into bytes. */
export interface Reply {
  status: number
  /** By lower-case name; several values only for `set-cookie`. */
  headers: Record<string, string | string[]>
  body: BodyChunk | ReplyStream | null
  /** Header lines that the app adds, each with its line end; a header of the same name in `headers` wins. @default '' */
  defaultHeaders?: string
  /** Called by the door when the answer is out, or the caller gone before. */
  ended?: (bytes: number, isWhole: boolean) => void
}

/** Is this body made while it is sent? */
export function isReplyStream(body: Reply['body']): body is ReplyStream {
  return typeof body === 'object' && body !== null && 'chunks' in body
}

/** Starts to read a stream's chunks. */
export function openChunks({ chunks }: Pick<ReplyStream, 'chunks'>): AsyncIterator<unknown> | Iterator<unknown> {
  return Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
}

/** Ends a source before its time, so that its `finally` runs; what that throws is told like any failure of the stream. */
export async function endChunks(
  source: AsyncIterator<unknown> | Iterator<unknown>,
  stream: ReplyStream,
): Promise<void> {
  try {
    await source.return?.()
  } catch (thrown) {
    stream.encodeError(thrown)
  }
}
