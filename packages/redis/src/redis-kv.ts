import type { Engine } from '@sdk/server'
import type { Sender } from './sender.ts'

/** The store of texts in Redis. */
export function createRedisKv({ send }: Pick<Sender, 'send'>, prefix = 'sdk'): Engine['kv'] {
  const nameOf = (key: string): string => `{${prefix}:${key}}:value`

  return {
    get: (key) => send(key.length, (redis) => redis.get(nameOf(key))),
    async set(key, value, options) {
      const ms = toMilliseconds(options?.ttl)
      await send(value.length, (redis) =>
        ms === 0 ? redis.set(nameOf(key), value) : redis.set(nameOf(key), value, 'PX', ms),
      )
    },
    async delete(key) {
      return (await send(key.length, (redis) => redis.del(nameOf(key)))) === 1
    },
    async increment(key, by, options) {
      const sum = await send(key.length, (redis) => redis.sdkIncrement(nameOf(key), by, toMilliseconds(options?.ttl)))
      return sum === null ? null : Number(sum)
    },
    async swap(key, { from, to, ttl }) {
      const args = [toOptional(from), toOptional(to), toMilliseconds(ttl)] as const
      const size = args[0].length + args[1].length
      return (await send(size, (redis) => redis.sdkSwap(nameOf(key), ...args))) === 1
    },
  }
}

/** 0: it does not end. */
function toMilliseconds(ttl = 0): number {
  return Math.ceil(ttl * 1000)
}

/** A text that may be none, as an argument of a script: none is empty, and a text has a sign before it. */
function toOptional(text: string | null): string {
  return text === null ? '' : `=${text}`
}
