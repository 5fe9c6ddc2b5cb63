import type { App, Reply } from '@sdk/server'

/**
 * Tracks an app's handlers until they end, since a server waits only for handlers whose caller is still connected.
 * `idle` resolves when no handler is running.
 */
export function trackHandlers(app: App): { app: App; idle(): Promise<void> } {
  const work = new Set<Promise<unknown>>()
  const add = (promise: Promise<unknown>): void => {
    const forget = (): unknown => work.delete(promise)
    work.add(promise)
    promise.then(forget, forget)
  }
  return {
    app: {
      ...app,
      handle(call) {
        const reply = Promise.resolve(app.handle(call)).then((whole) => trackStream(whole, add))
        add(reply)
        return reply
      },
    },
    async idle() {
      while (work.size > 0) await Promise.allSettled(work)
    },
  }
}

function trackStream(reply: Reply, add: (promise: Promise<unknown>) => void): Reply {
  const { body } = reply
  if (typeof body !== 'object' || body === null || !('chunks' in body)) return reply
  let end: () => void = () => {}
  add(new Promise<void>((resolve) => (end = resolve)))
  return { ...reply, body: { ...body, chunks: withEndCallback(body.chunks, () => end()) } }
}

/** Yields the chunks, then calls `onEnd`. If the stream is stopped early, the handler's `finally` block runs first. */
async function* withEndCallback(chunks: AsyncIterable<unknown> | Iterable<unknown>, onEnd: () => void): AsyncGenerator {
  try {
    yield* chunks
  } finally {
    onEnd()
  }
}
