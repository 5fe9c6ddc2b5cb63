import type { Engine, EngineFrame } from './engine.ts'
import { gcra, type Quota, type RateDecision } from './gcra.ts'

/** Options of `memoryEngine`. */
export interface MemoryEngineOptions {
  /** The clock. @default Date.now */
  now?: () => number
}

/** The memory engine: all of `Engine`, with answers that need no promise. */
export interface MemoryEngine extends Engine {
  take(key: string, cost: number, policy: Quota): RateDecision
}

/** Quotas that are whole again are forgotten when this many are kept. */
const SWEEP_AT = 10_000

/** An engine for one process. */
export function memoryEngine(options: MemoryEngineOptions = {}): MemoryEngine {
  const { now = Date.now } = options
  const epoch = crypto.randomUUID().slice(0, 8)
  const offsets = new Map<string, number>()
  const listeners = new Map<string, Set<(frame: EngineFrame) => void>>()
  const quotas = new Map<string, number>()
  let sweepAt = SWEEP_AT

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
    take(key, cost, policy) {
      const at = now()
      const decision = gcra(quotas.get(key), at, cost, policy)
      quotas.set(key, decision.fullAt)
      if (quotas.size >= sweepAt) sweep(at)
      return decision
    },
    close() {
      listeners.clear()
      return Promise.resolve()
    },
  }

  /** A quota that is whole again is the same as none, so memory holds only callers of the last window. */
  function sweep(at: number): void {
    for (const [key, fullAt] of quotas) if (fullAt <= at) quotas.delete(key)
    sweepAt = Math.max(SWEEP_AT, quotas.size * 2)
  }
}
