import { createChunkSplitter, fromEnvelope, isEnvelope, type ErrorEnvelope, type Framing } from '@sdk/protocol'
import { toNetworkError } from './to-api-error.ts'
import { collectChunks, type CollectOptions } from './collect-chunks.ts'

/** A stream of chunks, which can be read only once: one by one, or all together. */
export interface StreamReply {
  readonly kind: 'stream'
  readonly headers: Headers
  readonly chunks: AsyncGenerator<unknown, void>
  /** Collects all chunks. */
  collect(options?: CollectOptions): Promise<unknown[]>
}

export interface ReadStreamOptions {
  /** The delimiter to use instead of the framing's delimiter. */
  delimiter?: string | undefined
  signal: AbortSignal
}

/** Reads a response's body as a stream of chunks. */
export function readStream(
  { headers }: Response,
  body: ReadableStream<Uint8Array>,
  options: ReadStreamOptions & { framing: Framing },
): StreamReply {
  const chunks = readReplyChunks(split(body, options), (error) => {
    throw fromEnvelope(error)
  })
  return { kind: 'stream', headers, chunks, collect: (collecting) => collectChunks(chunks, collecting) }
}

/** Yields the chunks. Only the last chunk can be an error, so an error envelope is held back until the next chunk. */
export async function* readReplyChunks(
  pieces: AsyncIterable<Iterable<unknown>>,
  onError: (error: ErrorEnvelope) => void,
): AsyncGenerator<unknown, void> {
  let pending: ErrorEnvelope | null = null
  for await (const some of pieces) {
    for (const chunk of some) {
      if (pending !== null) yield pending
      pending = isEnvelope(chunk) ? chunk : null
      if (pending === null) yield chunk
    }
  }
  if (pending !== null) onError(pending)
}

async function* split(
  body: ReadableStream<Uint8Array>,
  { framing, delimiter, signal }: ReadStreamOptions & { framing: Framing },
): AsyncGenerator<Iterable<unknown>, void> {
  const splitter = createChunkSplitter(framing, { delimiter })
  for await (const bytes of readBytes(body, signal)) yield splitter.push(bytes)
  yield splitter.end()
}

/** Yields the bytes of a body as they arrive. */
export async function* readBytes(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        signal.throwIfAborted()
        throw toNetworkError(cause)
      })
      if (done) return
      yield value
    }
  } finally {
    // Cancels the response if the reader stops early. Canceling fails if the stream has ended, which is harmless.
    void reader.cancel().catch(() => {})
  }
}
