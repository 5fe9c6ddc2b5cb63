import { createLog, type Engine, type Log } from '@sdk/server'
import { createLeasedQuotas, createSharedPresence, createSharedSequence } from '@sdk/server/engine'
import { parseRedisAddress } from './redis-address.ts'
import { openRedisConnection } from './redis-connection.ts'
import { createClaimedNames } from './claimed-names.ts'
import { createStreamSubscriber } from './stream-subscriber.ts'
import { createRedisKv } from './redis-kv.ts'
import { createRedisPresence } from './redis-presence.ts'
import { createRedisQuotas } from './redis-quotas.ts'
import { createRedisSequence } from './redis-sequence.ts'
import { createSender } from './sender.ts'
import { createStreamStore, type StreamStoreOptions } from './stream-store.ts'

/** Options of `redisEngine`. */
export interface RedisEngineOptions extends StreamStoreOptions {
  /** Seconds after which a process that was killed is in no room any more. @default 15 */
  lease?: number
  /** Milliseconds a call to Redis may take. @default 5000 */
  timeout?: number
  /** Hears when Redis goes away and when it is back. @default createLog() */
  log?: Log
}

/**
 * An engine for many processes over one Redis (6.2 or later, or Valkey), one that sentinels watch over, or a cluster.
 * @example createApp({ router, engine: redisEngine('redis://localhost:6379') })
 */
export function redisEngine(url: string, options: RedisEngineOptions = {}): Engine {
  const { timeout = 5_000, log = createLog(), prefix, lease = 15 } = options
  const address = parseRedisAddress(url)
  // A connection that hears channels may send nothing else, so there are two.
  const sender = createSender(openRedisConnection({ address, role: 'publish', timeout, log }))
  const store = createStreamStore(sender, options)
  const subscriber = openRedisConnection({ address, role: 'subscribe', timeout, log })
  const subscriptions = createStreamSubscriber({ redis: subscriber, store, log })
  const ms = Math.ceil(lease * 1000)
  const presence = createSharedPresence({
    store: createRedisPresence({ send: sender.send, prefix, lease: ms }),
    log,
    lease: ms,
  })
  const sequence = createSharedSequence(createRedisSequence(sender, prefix))
  const quotas = createLeasedQuotas(createRedisQuotas(sender, prefix))
  let closed: Promise<void> | undefined

  return {
    publish: (stream, data) => store.append(stream, data),
    subscribe: (stream, listener) => subscriptions.add(stream, listener),
    history: store.history,
    presence,
    sequence,
    kv: createRedisKv(sender, prefix),
    take: quotas.take,
    names: createClaimedNames({ redis: subscriber, send: sender.send, prefix }),
    async check() {
      // Writes: one that is full, or a replica, still answers a ping.
      await sender.send(0, (redis) => redis.set(`{${prefix ?? 'sdk'}:check}:value`, '', 'PX', 1_000))
    },
    close() {
      return (closed ??= end())
    },
  }

  async function end(): Promise<void> {
    subscriptions.close()
    await Promise.all([presence.close(), quotas.close(), sequence.settled()])
    await sender.close()
  }
}
