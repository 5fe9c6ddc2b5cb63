import { createChunkSplitter, fromEnvelope, isEnvelope, type ErrorEnvelope, type Framing } from '@sdk/protocol'
import { toNetworkError } from './to-api-error.ts'
import { collectChunks, type CollectOptions } from './collect-chunks.ts'

/** Chunks as they come, to be read once: one by one, or all together. */
export interface StreamReply {
  readonly kind: 'stream'
  readonly chunks: AsyncGenerator<unknown, void>
  /** Reads all chunks. */
  collect(options?: CollectOptions): Promise<unknown[]>
}

/** Options of `readStream`. */
export interface ReadStreamOptions {
  /** Split by this text instead of by what the framing says. */
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
  return { kind: 'stream', chunks, collect: (watching) => collectChunks(chunks, watching) }
}

/** Only the last chunk can be the error of a stream, so an envelope waits for what follows it. */
async function* readReplyChunks(pieces: AsyncIterable<Iterable<unknown>>): AsyncGenerator<unknown, void> {
  let held: ErrorEnvelope | null = null
  for await (const some of pieces) {
    for (const chunk of some) {
      if (held !== null) yield held
      held = isEnvelope(chunk) ? chunk : null
      if (held === null) yield chunk
    }
  }
  if (held !== null) throw fromEnvelope(held)
}

/** Splits what comes, as it comes. */
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
    // Tells the server when the reader stops early. It fails where the stream has ended, which does not matter.
    void reader.cancel().catch(() => {})
  }
}
