import type { SequenceStore } from '@sdk/server/engine'
import { callAll, type ScriptCall } from './pipeline.ts'
import type { Sender } from './sender.ts'

/** Seconds after the last message at which a session is forgotten. */
const SEQUENCE_TTL_SECONDS = 3_600

/** How far sessions are, in Redis. */
export function createRedisSequence({ send }: Pick<Sender, 'send'>, prefix = 'sdk'): SequenceStore {
  const keyOf = (session: string): string => `{${prefix}:${session}}:sequence`
  return {
    async read(session) {
      const text = await send(session.length, (redis) => redis.get(keyOf(session)))
      return text === null ? null : Number(text)
    },
    async save(handled) {
      const calls = Array.from(handled, ([id, last]): ScriptCall => [
        'sdkAdvance',
        keyOf(id),
        last,
        SEQUENCE_TTL_SECONDS,
      ])
      await send(calls.length * 100, (redis) => callAll(redis, calls))
    },
  }
}
