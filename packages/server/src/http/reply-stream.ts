/** A body that is created while it is sent: chunks, and how each is encoded. */
export interface ReplyStream {
  readonly chunks: AsyncIterable<unknown> | Iterable<unknown>
  /** Is it the body of a `Response`? One that is there as a whole is sent with its length. @default false */
  readonly isResponse?: boolean
  /** A chunk as it goes over the wire. */
  encode(chunk: unknown): BodyChunk | Promise<BodyChunk>
  /** Logs a failure, and gives what to send last; null: cut the connection, since the bytes cannot say it. */
  encodeError(thrown: unknown): BodyChunk | null
}

/** Text or bytes of a body. */
export type BodyChunk = string | Uint8Array

/** Starts to read a stream's chunks. */
export function openChunks({ chunks }: Pick<ReplyStream, 'chunks'>): AsyncIterator<unknown> | Iterator<unknown> {
  return Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
}

/** Ends a source early, so that its `finally` runs. Errors that it throws are reported like other errors of the stream. */
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
