import { createLog, type Engine, type Log } from '@sdk/server'
import { openConnection } from './connection.ts'
import { createRedisKv } from './redis-kv.ts'
import { createSender } from './sender.ts'
import { createStreamStore, type StreamStoreOptions } from './stream-store.ts'
import { createSubscriptions } from './subscriptions.ts'

/** Options of `redisEngine`. */
export interface RedisEngineOptions extends StreamStoreOptions {
  /** Milliseconds a call to Redis may take. @default 5000 */
  timeout?: number
  /** Hears when Redis goes away and when it is back. @default createLog() */
  log?: Log
}

/**
 * An engine for many processes over one Redis (6.2 or later, or Valkey).
 * @example createApp({ router, engine: redisEngine('redis://localhost:6379') })
 */
export function redisEngine(url: string, options: RedisEngineOptions = {}): Engine {
  const { timeout = 5_000, log = createLog() } = options
  if (!/^rediss?:\/\//.test(url)) throw new TypeError('a Redis URL begins with redis:// or rediss://')
  // A connection that hears channels may send nothing else, so there are two.
  const sender = createSender(openConnection({ url, role: 'publish', timeout, log }))
  const store = createStreamStore(sender, options)
  const heard = openConnection({ url, role: 'subscribe', timeout, log })
  const subscriptions = createSubscriptions({ redis: heard, store, log })
  let closed: Promise<void> | undefined

  return {
    publish: (stream, data) => store.append(stream, data),
    subscribe: (stream, listener) => subscriptions.add(stream, listener),
    kv: createRedisKv(sender, options.prefix),
    close() {
      subscriptions.close()
      return (closed ??= sender.close())
    },
  }
}
