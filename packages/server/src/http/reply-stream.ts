/** A streamed body, with its chunks and their encoding. */
export interface ReplyStream {
  readonly chunks: AsyncIterable<unknown> | Iterable<unknown>
  /**
   * Whether the stream is the body of a `Response`. If so, and if it ends quickly, it is sent as a single body with a
   * `Content-Length` header.
   * @default false
   */
  readonly isResponse?: boolean
  /** Encodes a chunk for sending. */
  encode(chunk: unknown): BodyChunk | Promise<BodyChunk>
  /**
   * Logs an error and returns the last chunk to send. For a raw stream, which cannot represent an error, returns null
   * to abort the connection.
   */
  encodeError(thrown: unknown): BodyChunk | null
}

/** A chunk of a body, as text or bytes. */
export type BodyChunk = string | Uint8Array

/** Returns an iterator over the chunks of a stream. */
export function openChunks({ chunks }: Pick<ReplyStream, 'chunks'>): AsyncIterator<unknown> | Iterator<unknown> {
  return Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
}

/**
 * Ends a source early, so that its `finally` block runs. Errors that it throws are reported like any other stream
 * error.
 */
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
