import type { Log } from '@sdk/server'
import { createSubscriptions, type Subscriptions } from '@sdk/server/engine'
import type { RedisConnection } from './redis-connection.ts'
import { parseMessage, type StreamStore } from './stream-store.ts'

/** What hearing works with. */
export interface StreamSubscriberOptions {
  /** A connection for channels alone. */
  readonly redis: RedisConnection
  readonly store: StreamStore
  readonly log: Log
}

/** The streams that this process hears, by the channels of a connection. */
export function createStreamSubscriber({ redis, store, log }: StreamSubscriberOptions): Subscriptions {
  const subscriptions = createSubscriptions({
    source: {
      async subscribe(stream) {
        await redis.subscribe(store.channelOf(stream))
      },
      unsubscribe(stream) {
        redis.unsubscribe(store.channelOf(stream)).catch(() => undefined) // without a connection there is nothing to end
      },
      read: store.read,
    },
    log,
  })
  redis.on('ready', subscriptions.connected)
  redis.on('close', subscriptions.disconnected)
  redis.on('message', (channel, message) => subscriptions.receive(parseMessage(store.streamOf(channel), message)))
  return {
    ...subscriptions,
    close() {
      subscriptions.close()
      redis.disconnect()
    },
  }
}
