import type { RatePolicy } from '@sdk/protocol'
import { createLog, type Log } from '../log/log.ts'
import type { Engine, EngineMember } from './engine.ts'
import { gcra, type RateDecision } from './gcra.ts'
import { createMemoryKv } from './memory-kv.ts'
import { createMemorySequence } from './memory-sequence.ts'
import { createMemoryStreams, type MemoryHistoryOptions } from './memory-streams.ts'

/** Options for `memoryEngine`. */
export interface MemoryEngineOptions {
  /** The clock. @default Date.now */
  now?: () => number
  /** The log for listener errors. @default JSON lines on standard output */
  log?: Log
  /** Limits on the stream history, which is kept for clients that reconnect. */
  history?: MemoryHistoryOptions
}

/** The memory engine: an `Engine` whose `take` returns synchronously. */
export interface MemoryEngine extends Engine {
  take(key: string, cost: number, policy: RatePolicy): RateDecision
}

/**
 * Creates an engine for a single process. By default, an app creates its own; pass one explicitly to share it between
 * apps. For several processes, see `redisEngine` in `@sdk/redis` and `postgresEngine` in `@sdk/database`.
 */
export function memoryEngine(options: MemoryEngineOptions = {}): MemoryEngine {
  const { now = Date.now, log = createLog() } = options
  const streams = createMemoryStreams({ now, log, history: options.history })
  const presence = createMemoryPresence()
  const sequence = createMemorySequence(now)

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

/** Creates room presence for one process. The members disappear when the process exits, so no leases are needed. */
function createMemoryPresence() {
  const rooms = new Map<string, Map<string, string>>()

  return {
    join(room: string, { id, data }: EngineMember) {
      const members = rooms.get(room) ?? new Map<string, string>()
      rooms.set(room, members.set(id, data))
      return Promise.resolve()
    },
    leave(room: string, id: string) {
      const members = rooms.get(room)
      if (members?.delete(id) === true && members.size === 0) rooms.delete(room)
      return Promise.resolve()
    },
    list(room: string) {
      const members = Array.from(rooms.get(room) ?? [], ([id, data]) => ({ id, data }))
      return Promise.resolve(members.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    },
    clear: () => rooms.clear(),
  }
}

/** The number of keys that a policy must have before its full quotas are first removed. */
const MIN_EXPIRE_COUNT = 10_000

/** The usage under one policy: the time at which each key's quota is full again. */
interface PolicyUsage {
  readonly fullAt: Map<string, number>
  expireAtCount: number
}

function createMemoryQuotas(now: () => number): MemoryEngine['take'] {
  const policies = new Map<string, PolicyUsage>()
  return (key, cost, policy) => {
    let granted = policies.get(policy.name)
    if (granted === undefined)
      policies.set(policy.name, (granted = { fullAt: new Map(), expireAtCount: MIN_EXPIRE_COUNT }))
    const at = now()
    const decision = gcra(policy, { now: at, fullAt: granted.fullAt.get(key) }, cost)
    granted.fullAt.set(key, decision.fullAt)
    if (granted.fullAt.size >= granted.expireAtCount) removeWhole(granted, at)
    return decision
  }
}

/** Removes full quotas, which are equivalent to missing ones. Only callers from the last window remain in memory. */
function removeWhole(granted: PolicyUsage, at: number): void {
  for (const [key, fullAt] of granted.fullAt) if (fullAt <= at) granted.fullAt.delete(key)
  granted.expireAtCount = Math.max(MIN_EXPIRE_COUNT, granted.fullAt.size * 2)
}
