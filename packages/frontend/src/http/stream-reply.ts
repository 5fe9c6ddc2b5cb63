import { createChunkSplitter, fromEnvelope, isEnvelope, type ErrorEnvelope, type Framing } from '@sdk/protocol'
import { toNetworkError } from './to-api-error.ts'
import { collectChunks, type CollectOptions } from './collect-chunks.ts'

/** A stream of chunks, which can be read only once: one by one, or all together. */
export interface StreamReply {
  readonly kind: 'stream'
  readonly chunks: AsyncGenerator<unknown, void>
  /** Collects all chunks. */
  collect(options?: CollectOptions): Promise<unknown[]>
}

export interface ReadStreamOptions {
  /** The delimiter to use instead of the framing's delimiter. */
  delimiter?: string | undefined
  signal: AbortSignal
}

/** Reads a body as a stream of chunks. */
export function readStream(
  body: ReadableStream<Uint8Array>,
  framing: Framing,
  options: ReadStreamOptions,
): StreamReply {
  const chunks = readReplyChunks(split(body, framing, options))
  return { kind: 'stream', chunks, collect: (collecting) => collectChunks(chunks, collecting) }
}

/** Yields the chunks. Only the last chunk can be an error, so an error envelope is held back until the next chunk. */
async function* readReplyChunks(pieces: AsyncIterable<Iterable<unknown>>): AsyncGenerator<unknown, void> {
  let pending: ErrorEnvelope | null = null
  for await (const some of pieces) {
    for (const chunk of some) {
      if (pending !== null) yield pending
      pending = isEnvelope(chunk) ? chunk : null
      if (pending === null) yield chunk
    }
  }
  if (pending !== null) throw fromEnvelope(pending)
}

async function* split(
  body: ReadableStream<Uint8Array>,
  framing: Framing,
  { delimiter, signal }: ReadStreamOptions,
): AsyncGenerator<Iterable<unknown>, void> {
  const reader = body.getReader()
  try {
    const splitter = createChunkSplitter(framing, { delimiter })
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        signal.throwIfAborted()
        throw toNetworkError(cause)
      })
      yield done ? splitter.end() : splitter.push(value)
      if (done) return
    }
  } finally {
    // Cancels the response if the reader stops early. Canceling fails if the stream has ended, which is harmless.
    void reader.cancel().catch(() => {})
  }
}
