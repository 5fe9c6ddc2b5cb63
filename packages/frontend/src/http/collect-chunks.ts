/** Options for `collectChunks`. */
export interface CollectOptions {
  /** Called for every chunk, in order. If it returns a promise, the next chunk waits for that promise. */
  onChunk?: ((chunk: unknown) => unknown) | undefined
  /**
   * Called with the chunks received so far, at most once per animation frame. Called again at the end, even after an
   * error.
   */
  show?: ((chunks: unknown[]) => unknown) | undefined
  /** Called when a durable agent retracts chunks, with the number of chunks that remain valid. */
  onRetract?: ((keep: number) => unknown) | undefined
}

/**
 * Removes the last chunks received, because they were retracted. Returns whether all of them had been received, rather
 * than some of them before the first chunk of this stream.
 */
export type DiscardChunks = (count: number) => boolean

/** Collects the chunks of a stream in an array. */
export async function collectChunks(
  chunks: AsyncIterable<unknown>,
  { onChunk, show }: CollectOptions = {},
  listen?: (discard: DiscardChunks) => void,
): Promise<unknown[]> {
  const received: unknown[] = []
  let stop: (() => void) | undefined
  const showNow = (): void => {
    stop = undefined
    show?.([...received])
  }
  const showSoon = (): void => {
    stop ??= show && onAnimationFrame(showNow)
  }
  listen?.((count) => {
    showSoon()
    return received.splice(-count).length === count
  })
  try {
    for await (const chunk of chunks) {
      received.push(chunk)
      showSoon()
      await onChunk?.(chunk)
    }
    return received
  } finally {
    stop?.()
    show?.(received)
  }
}

/** Calls `run` at the next animation frame, or after a short delay if there are no frames, as on a hidden page. */
function onAnimationFrame(run: () => void): () => void {
  const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = globalThis
  const frame = request?.(end)
  const timer = setTimeout(end, frame === undefined ? 16 : 250)
  return stop

  function end(): void {
    stop()
    run()
  }

  function stop(): void {
    clearTimeout(timer)
    if (frame !== undefined) cancel(frame)
  }
}
