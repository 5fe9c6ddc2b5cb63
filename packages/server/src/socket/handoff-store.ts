import type { EngineKv } from '../engine/engine-kv.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { SessionSnapshot, SessionLocation } from './node-messaging.ts'

/** What a process knew of a session when it ended. */
export type Handoff = SessionSnapshot | SessionLocation

/** What processes that have ended left behind for those that come after them. */
export interface HandoffStore {
  /** Leaves these, by the ids of their sessions; never rejects. */
  save(all: Iterable<readonly [id: string, left: Handoff]>): Promise<void>
  /** What a process left of a session. Who takes it has it, and the next one is told where it is. Never rejects. */
  take(node: string, id: string): Promise<Handoff | null>
}

interface HandoffStoreOptions {
  readonly kv: EngineKv
  readonly log: Log
  /** The name of this process. */
  readonly node: string
  /** For how long, in ms. */
  readonly ttlMs: number
}

/** How many are written at once, and how many characters in all: a process that ends has little time. */
const WRITE_BATCH = 512
const MAX_SIZE = 16 * 1_048_576

/** Keeps them in the engine, under the name of the process: who comes with an older session id finds nothing else. */
export function createHandoffStore({ kv, log, node, ttlMs }: HandoffStoreOptions): HandoffStore {
  const keyOf = (of: string, id: string): string => `sdk:socket:left:${of}:${id}`
  const ttl = Math.max(1, ttlMs / 1000)

  return {
    async save(all) {
      let size = 0
      let batch: Promise<void>[] = []
      try {
        for (const [id, left] of all) {
          const text = JSON.stringify(left)
          if ((size += text.length) > MAX_SIZE) break
          batch.push(kv.set(keyOf(node, id), text, { ttl }))
          if (batch.length < WRITE_BATCH) continue
          await Promise.all(batch)
          batch = []
        }
        await Promise.all(batch)
      } catch (error) {
        log.warn('sessions could not be left to other processes', errorFields(error))
      }
    },
    async take(of, id) {
      try {
        const text = await kv.get(keyOf(of, id))
        if (text === null) return null
        const left = JSON.parse(text) as Handoff
        if ('to' in left) return left
        // Replaced by where it went, for the next process that asks: the client may not have heard of the move.
        return (await kv.compareAndSet(keyOf(of, id), { from: text, to: JSON.stringify({ to: node }) })) ? left : null
      } catch (error) {
        log.warn('it is not known what another process left', errorFields(error))
        return null
      }
    },
  }
}
