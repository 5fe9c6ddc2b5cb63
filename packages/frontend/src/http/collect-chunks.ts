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

/** A function that registers a listener for retracted chunks. */
export type ListenForRetractions = (retract: (keep: number) => unknown) => void

/** Collects the chunks of a stream in an array. */
export async function collectChunks(
  chunks: AsyncIterable<unknown>,
  options: CollectOptions = {},
  listen?: ListenForRetractions,
): Promise<unknown[]> {
  const { onChunk, onRetract, show } = options
  const received: unknown[] = []
  let stop: (() => void) | undefined
  const showNow = (): void => {
    stop = undefined
    show?.([...received])
  }
  const showSoon = (): void => {
    stop ??= show && onAnimationFrame(showNow)
  }
  listen?.((keep) => {
    received.length = keep
    showSoon()
    return onRetract?.(keep)
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
