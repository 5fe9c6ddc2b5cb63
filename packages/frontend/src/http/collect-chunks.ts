/** Who hears of a stream while it is gathered. */
export interface CollectOptions {
  /** Sees every chunk in order; the next one waits for what it returns. */
  onChunk?: ((chunk: unknown) => unknown) | undefined
  /** Sees the chunks so far, once a frame; and all of them at the end, also at a bad one. */
  show?: ((chunks: unknown[]) => unknown) | undefined
}

/** Gathers the chunks of a stream. */
export async function collectChunks(chunks: AsyncIterable<unknown>, options: CollectOptions = {}): Promise<unknown[]> {
  const { onChunk, show } = options
  const received: unknown[] = []
  let stop: (() => void) | undefined
  const showNow = (): void => {
    stop = undefined
    show?.([...received])
  }
  try {
    for await (const chunk of chunks) {
      received.push(chunk)
      stop ??= show && onAnimationFrame(showNow)
      await onChunk?.(chunk)
    }
    return received
  } finally {
    stop?.()
    show?.(received)
  }
}

/** Runs something with the next frame; where no frames are drawn, as in a hidden page, soon. */
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
