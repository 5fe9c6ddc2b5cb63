/** One message of a stream, with its place. */
export interface EngineFrame {
  readonly stream: string
  readonly epoch: string
  readonly offset: number
  readonly data: string
}

/**
 * What many server processes share. The memory engine serves one process;
 * `@sdk/redis` joins many. Every engine passes the same contract suite.
 */
export interface Engine {
  /** Appends to a stream. Offsets are 1, 2, 3 … within an epoch, and every subscriber sees them in order. */
  publish(stream: string, data: string): Promise<{ epoch: string; offset: number }>
  /** Hears every message of a stream from now on; the promise settles when it does. */
  subscribe(stream: string, listener: (frame: EngineFrame) => void): Promise<() => void>
  /** Ends all subscriptions and connections. */
  close(): Promise<void>
}

/** An engine for one process. */
export function memoryEngine(): Engine {
  const epoch = crypto.randomUUID().slice(0, 8)
  const offsets = new Map<string, number>()
  const listeners = new Map<string, Set<(frame: EngineFrame) => void>>()
  return {
    publish(stream, data) {
      const offset = (offsets.get(stream) ?? 0) + 1
      offsets.set(stream, offset)
      for (const listener of listeners.get(stream) ?? []) listener({ stream, epoch, offset, data })
      return Promise.resolve({ epoch, offset })
    },
    subscribe(stream, listener) {
      const set = listeners.get(stream) ?? new Set()
      listeners.set(stream, set.add(listener))
      return Promise.resolve(() => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(stream)
      })
    },
    close() {
      listeners.clear()
      return Promise.resolve()
    },
  }
}
