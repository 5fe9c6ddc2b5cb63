import type { EngineSequence } from '@sdk/server'
import { callAll, type ScriptCall } from './pipeline.ts'
import type { Sender } from './sender.ts'

/** How far sessions are, in Redis. */
export interface RedisSequence extends EngineSequence {
  set(session: string, handled: number): Promise<void>
  /** Settles when nothing waits to be saved. */
  settled(): Promise<void>
}

interface Batch {
  readonly handled: Map<string, number>
  readonly saved: Promise<void>
}

/** Seconds after the last message at which a session is forgotten. */
const KEEP_FOR = 3_600

/** The sequences in Redis. What is set in one turn of the event loop goes there in one round trip. */
export function createRedisSequence({ send }: Pick<Sender, 'send'>, prefix = 'sdk'): RedisSequence {
  const keyOf = (session: string): string => `{${prefix}:${session}}:sequence`
  let waiting: Batch | undefined

  return {
    async get(session) {
      // What was set before is read; whether it could be saved is told to who set it.
      if (waiting?.handled.has(session) === true) await waiting.saved.catch(() => undefined)
      const text = await send(session.length, (redis) => redis.get(keyOf(session)))
      return text === null ? null : Number(text)
    },
    set(session, handled) {
      const batch = (waiting ??= open())
      batch.handled.set(session, Math.max(handled, batch.handled.get(session) ?? 0))
      return batch.saved
    },
    async settled() {
      await waiting?.saved.catch(() => undefined) // who set it is told
    },
  }

  function open(): Batch {
    const handled = new Map<string, number>()
    return { handled, saved: nextTurn().then(() => save(handled)) }
  }

  async function save(handled: ReadonlyMap<string, number>): Promise<void> {
    waiting = undefined
    const calls = Array.from(handled, ([id, last]): ScriptCall => ['sdkAdvance', keyOf(id), last, KEEP_FOR])
    await send(calls.length * 100, (redis) => callAll(redis, calls))
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
