import type { RatePolicy } from '@sdk/protocol'
import type { Engine, EngineFrame } from './engine.ts'
import { createLog, errorFields, type Log } from '../log/log.ts'
import type { RateDecision } from './gcra.ts'
import { createMemoryKv } from './memory-kv.ts'
import { createQuotas } from './quotas.ts'

/** Options of `memoryEngine`. */
export interface MemoryEngineOptions {
  /** The clock. @default Date.now */
  now?: () => number
  /** Where the failures of listeners go. @default JSON lines on standard output */
  log?: Log
}

/** The memory engine: all of `Engine`, with answers that need no promise. */
export interface MemoryEngine extends Engine {
  take(key: string, cost: number, policy: RatePolicy): RateDecision
}

/** An engine for one process. */
export function memoryEngine(options: MemoryEngineOptions = {}): MemoryEngine {
  const { now = Date.now, log = createLog() } = options
  const epoch = crypto.randomUUID().slice(0, 8)
  const offsets = new Map<string, number>()
  const listeners = new Map<string, Set<(frame: EngineFrame) => void>>()

  return {
    publish(stream, data) {
      const offset = (offsets.get(stream) ?? 0) + 1
      offsets.set(stream, offset)
      for (const hear of listeners.get(stream) ?? []) hear({ stream, epoch, offset, data })
      return Promise.resolve({ epoch, offset })
    },
    subscribe(stream, listener) {
      // A function of its own for each subscription, so that the same listener can have two.
      const hear = (frame: EngineFrame): void => guard(() => listener(frame), log)
      const set = listeners.get(stream) ?? new Set()
      listeners.set(stream, set.add(hear))
      return Promise.resolve(() => {
        if (set.delete(hear) && set.size === 0) listeners.delete(stream)
      })
    },
    kv: createMemoryKv({ now }),
    take: createQuotas(now),
    close() {
      listeners.clear()
      return Promise.resolve()
    },
  }
}

/** A listener that throws is heard of in the log, and by nobody else. */
function guard(work: () => void, log: Log): void {
  try {
    work()
  } catch (error) {
    log.error('a listener of the engine failed', errorFields(error))
  }
}
