import type { EngineSubscription, Log } from '@sdk/server'
import type { Connection } from './connection.ts'
import { isAfter, ORIGIN } from './position.ts'
import type { StreamStore } from './stream-store.ts'
import { createSubscription, type Listener, type Subscription } from './subscription.ts'

/** Who hears which stream. */
export interface Subscriptions {
  /** Settles when the stream is heard. */
  add(stream: string, listener: Listener): Promise<EngineSubscription>
  close(): void
}

/** What subscriptions work with. */
export interface SubscriptionsParts {
  readonly redis: Connection
  readonly store: StreamStore
  readonly log: Log
}

/** The subscriptions of a connection. */
export function createSubscriptions(parts: SubscriptionsParts): Subscriptions {
  const { redis, store } = parts
  const byChannel = new Map<string, Subscription>()
  let isClosed = false

  redis.on('ready', () => {
    for (const subscription of byChannel.values()) void subscription.attach()
  })
  redis.on('message', (channel, message) => byChannel.get(channel)?.receive(message))

  return {
    async add(stream, listener) {
      if (isClosed) return { from: ORIGIN, end: () => undefined }
      const channel = store.channelOf(stream)
      const subscription = byChannel.get(channel) ?? open(stream, channel)
      const joined = subscription.position()
      // Of its own, as one function may listen twice; and whoever joins while a message is told is not told that one.
      const own: Listener = (frame) => {
        if (joined === undefined || isAfter(frame, joined)) listener(frame)
      }
      subscription.listeners.add(own)
      const start = await subscription.heard
      return { from: joined ?? start, end: () => remove(channel, own) }
    },
    close() {
      isClosed = true
      for (const subscription of byChannel.values()) subscription.end()
      byChannel.clear()
      redis.disconnect()
    },
  }

  function open(stream: string, channel: string): Subscription {
    const subscription = createSubscription({ ...parts, stream })
    byChannel.set(channel, subscription)
    if (redis.status === 'ready') void subscription.attach()
    return subscription
  }

  function remove(channel: string, listener: Listener): void {
    const subscription = byChannel.get(channel)
    if (subscription?.listeners.delete(listener) !== true || subscription.listeners.size > 0) return
    byChannel.delete(channel)
    subscription.end()
  }
}
