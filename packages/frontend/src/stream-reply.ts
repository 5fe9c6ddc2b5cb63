import { createChunkSplitter, fromEnvelope, isEnvelope, type ErrorEnvelope, type Framing } from '@sdk/protocol'
import { toNetworkError } from './failure.ts'
import { gather, type GatherOptions } from './gather.ts'

/** Chunks as they come, to be read once: one by one, or all together. */
export interface StreamReply {
  readonly kind: 'stream'
  readonly chunks: AsyncGenerator<unknown, void>
  /** Reads all chunks. */
  gather(options?: GatherOptions): Promise<unknown[]>
}

/** Options of `readStream`. */
export interface StreamOptions {
  /** Split by this text instead of by what the framing says. */
  delimiter?: string | undefined
  signal: AbortSignal
}

/** Reads a body as a stream of chunks. */
export function readStream(body: ReadableStream<Uint8Array>, framing: Framing, options: StreamOptions): StreamReply {
  const chunks = readChunks(split(body, framing, options))
  return { kind: 'stream', chunks, gather: (watching) => gather(chunks, watching) }
}

/** Only the last chunk can be the error of a stream, so an envelope waits for what follows it. */
async function* readChunks(pieces: AsyncIterable<Iterable<unknown>>): AsyncGenerator<unknown, void> {
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
  { delimiter, signal }: StreamOptions,
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
