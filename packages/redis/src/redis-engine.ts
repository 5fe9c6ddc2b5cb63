import { createLog, type Engine, type Log } from '@sdk/server'
import {
  createLeasedQuotas,
  createSharedPresence,
  createSharedSequence,
  createSubscriptions,
  type QuotaStore,
  type SequenceStore,
  type Subscriptions,
} from '@sdk/server/engine'
import { parseRedisAddress } from './redis-address.ts'
import { openRedisConnection, type RedisConnection } from './redis-connection.ts'
import { createClaimedNames } from './claimed-names.ts'
import { callAll, type ScriptCall } from './pipeline.ts'
import { createRedisKv } from './redis-kv.ts'
import { createRedisPresence } from './redis-presence.ts'
import { createSender, type Sender } from './sender.ts'
import { createStreamStore, parseMessage, type StreamStore, type StreamStoreOptions } from './stream-store.ts'

/** Options for `redisEngine`. */
export interface RedisEngineOptions extends StreamStoreOptions {
  /** The number of seconds after which a killed process is removed from all rooms. @default 15 */
  lease?: number
  /** The timeout for a call to Redis, in ms. @default 5000 */
  timeout?: number
  /** The log that reports when Redis becomes unreachable and when it is reachable again. @default createLog() */
  log?: Log
}

/**
 * Creates an engine for multiple processes on Redis (6.2 or later) or Valkey: a single server, Sentinel or a cluster.
 * @example createApp({ router, engine: redisEngine('redis://localhost:6379') })
 */
export function redisEngine(url: string, options: RedisEngineOptions = {}): Engine {
  const { timeout = 5_000, log = createLog(), prefix, lease = 15 } = options
  const address = parseRedisAddress(url)
  // There are two connections, since a connection that is subscribed to channels cannot send other commands.
  const sender = createSender(openRedisConnection({ address, role: 'publish', timeout, log }))
  const store = createStreamStore(sender, options)
  const subscriber = openRedisConnection({ address, role: 'subscribe', timeout, log })
  const subscriptions = createStreamSubscriber(subscriber, store, log)
  const ms = Math.ceil(lease * 1000)
  const presence = createSharedPresence({ store: createRedisPresence(sender, ms, prefix), log, lease: ms })
  const sequence = createSharedSequence(createRedisSequence(sender, prefix))
  const quotas = createLeasedQuotas(createRedisQuotas(sender, prefix))
  let closed: Promise<void> | undefined

  return {
    publish: store.publish,
    subscribe: subscriptions.add,
    history: store.history,
    presence,
    sequence,
    kv: createRedisKv(sender, prefix),
    take: quotas.take,
    names: createClaimedNames(subscriber, sender, prefix),
    async check() {
      // Writes a value, since a server that is out of memory, or a replica, would still respond to a ping.
      await sender.send(0, (redis) => redis.set(`{${prefix ?? 'sdk'}:check}:value`, '', 'PX', 1_000))
    },
    close: () => (closed ??= end()),
  }

  async function end(): Promise<void> {
    subscriptions.close()
    subscriber.disconnect()
    await Promise.all([presence.close(), quotas.close(), sequence.settled()])
    await sender.close()
  }
}

/** The number of seconds for which a sequence number is kept after the last message of its session. */
const SEQUENCE_TTL = 3_600

/** Creates the store for sequence numbers in Redis. */
function createRedisSequence({ send }: Pick<Sender, 'send'>, prefix = 'sdk'): SequenceStore {
  const keyOf = (session: string): string => `{${prefix}:${session}}:sequence`
  return {
    async read(session) {
      const text = await send(session.length, (redis) => redis.get(keyOf(session)))
      return text === null ? null : Number(text)
    },
    async save(handled) {
      const calls = Array.from(handled, ([id, last]): ScriptCall => ['sdkAdvance', keyOf(id), last, SEQUENCE_TTL])
      await send(calls.length * 100, (redis) => callAll(redis, calls))
    },
  }
}

/** Creates the quota store in Redis. It uses the Redis server's clock. */
function createRedisQuotas({ send }: Pick<Sender, 'send'>, prefix = 'sdk'): QuotaStore {
  return {
    async grant(requests) {
      const calls = requests.map(({ key, policy: { name, quota, window }, wanted }): ScriptCall => {
        const room = window * 1000
        return ['sdkGrant', `{${prefix}:${name} ${key}}:quota`, room, room / quota, wanted]
      })
      const replies = (await send(0, (redis) => callAll(redis, calls))) as [number, string][]
      return replies.map(([granted, fullIn]) => ({ granted, fullIn: Number(fullIn) }))
    },
  }
}

/** Creates the stream subscriptions of this process on a connection that is used only for channels. */
function createStreamSubscriber(redis: RedisConnection, store: StreamStore, log: Log): Subscriptions {
  const subscriptions = createSubscriptions({
    source: {
      async subscribe(stream) {
        await redis.subscribe(store.channelOf(stream))
      },
      unsubscribe(stream) {
        redis.unsubscribe(store.channelOf(stream)).catch(() => undefined) // fails if not connected
      },
      read: store.read,
    },
    log,
  })
  redis.on('ready', subscriptions.connected)
  redis.on('close', subscriptions.disconnected)
  redis.on('message', (channel, message) => subscriptions.receive(parseMessage(store.streamOf(channel), message)))
  return subscriptions
}
