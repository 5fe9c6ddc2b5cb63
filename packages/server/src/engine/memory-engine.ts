import type { RatePolicy } from '@sdk/protocol'
import { createLog, type Log } from '../log/log.ts'
import type { Engine } from './engine.ts'
import type { RateDecision } from './gcra.ts'
import { createMemoryKv } from './memory-kv.ts'
import { createMemoryPresence } from './memory-presence.ts'
import { createMemorySequence } from './memory-sequence.ts'
import { createMemoryStreams } from './memory-streams.ts'
import { createMemoryQuotas } from './memory-quotas.ts'
import type { MemoryHistoryOptions } from './stream-buffer.ts'

/** Options of `memoryEngine`. */
export interface MemoryEngineOptions {
  /** The clock. @default Date.now */
  now?: () => number
  /** Where the failures of listeners go. @default JSON lines on standard output */
  log?: Log
  /** How much of each stream is kept for those who come back. */
  history?: MemoryHistoryOptions
}

/** The memory engine: all of `Engine`, with answers that need no promise. */
export interface MemoryEngine extends Engine {
  take(key: string, cost: number, policy: RatePolicy): RateDecision
}

/**
 * An engine for one process: what an app has where it is given none. Pass one yourself to share it between apps. For
 * many processes, see `redisEngine` of `@sdk/redis` and `postgresEngine` of `@sdk/database`.
 */
export function memoryEngine(options: MemoryEngineOptions = {}): MemoryEngine {
  const { now = Date.now, log = createLog() } = options
  const streams = createMemoryStreams({ now, log, history: options.history })
  const presence = createMemoryPresence()
  const sequence = createMemorySequence({ now })

  return {
    publish: streams.publish,
    subscribe: streams.subscribe,
    history: streams.history,
    presence,
    sequence,
    kv: createMemoryKv({ now }),
    take: createMemoryQuotas(now),
    close() {
      streams.close()
      presence.clear()
      sequence.clear()
      return Promise.resolve()
    },
  }
}
