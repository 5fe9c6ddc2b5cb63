import type { Engine } from '@sdk/server'
import { OWNER_LIMIT, ownedSize } from '@sdk/server/engine'
import type { Sender } from './sender.ts'

/** Creates the key-value store in Redis. */
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
    async compareAndSet(key, { from, to, ttl, owner }) {
      const args = [toOptional(from), toOptional(to), toMilliseconds(ttl)] as const
      const size = args[0].length + args[1].length
      const isSwapped = (await send(size, (redis) => redis.sdkCompareAndSet(nameOf(key), ...args))) === 1
      // A failure is ignored: the value is stored, and only counting it failed.
      if (isSwapped && to !== null && owner !== undefined)
        await own(owner, nameOf(key), [ownedSize(key, to), args[2]]).catch(() => undefined)
      return isSwapped
    },
  }

  /**
   * Counts a value toward its owner's limit, in a separate call: in a cluster, an owner's values are on several nodes.
   */
  async function own(owner: string, name: string, [size, ms]: readonly [number, number]): Promise<void> {
    const all = `{${prefix}:${owner}}:owned`
    const gone = await send(name.length, (redis) => redis.sdkOwn(all, name, size, ms, OWNER_LIMIT))
    await Promise.all(gone.map((one) => send(one.length, (redis) => redis.unlink(one))))
  }
}

/** Converts seconds to milliseconds. A result of 0 means that there is no expiry. */
function toMilliseconds(ttl = 0): number {
  return Math.ceil(ttl * 1000)
}

/** Encodes an optional string as a script argument: the string with the prefix `=`, or an empty string for null. */
function toOptional(text: string | null): string {
  return text === null ? '' : `=${text}`
}
