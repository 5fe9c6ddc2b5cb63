import { createBatch } from '@sdk/frontend'

/** Options of `collect`. */
export interface CollectOptions {
  /** Sees every chunk in order; the next one waits for what it returns. */
  onChunk: (chunk: unknown) => unknown
  /** Sees the chunks so far, about once a frame. */
  show: (chunks: unknown[]) => unknown
}

/** Gathers the chunks of a stream. */
export async function collect(chunks: AsyncIterable<unknown>, options: CollectOptions): Promise<unknown[]> {
  const received: unknown[] = []
  const batch = createBatch(() => options.show([...received]))
  try {
    for await (const chunk of chunks) {
      received.push(chunk)
      batch.touch()
      await options.onChunk(chunk)
    }
    return received
  } finally {
    batch.cancel()
    options.show(received)
  }
}
