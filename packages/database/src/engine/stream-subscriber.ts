import type { Engine } from '@sdk/server'
import { createSubscriptions, type SubscriptionsOptions } from '@sdk/server/engine'
import { type NotificationListenerOptions, channelKey, openNotificationListener } from './notification-listener.ts'

/** The streams that this process hears. */
export interface StreamSubscriber {
  readonly subscribe: Engine['subscribe']
  close(): Promise<void>
}

/** What hearing works with. */
export interface StreamSubscriberOptions
  extends
    Pick<NotificationListenerOptions, 'url' | 'channel' | 'timeout' | 'prepare'>,
    Pick<SubscriptionsOptions, 'log'> {
  readonly read: SubscriptionsOptions['source']['read']
}

/** Hears streams by a connection that is told which of them have news. */
export function createStreamSubscriber({ read, log, ...options }: StreamSubscriberOptions): StreamSubscriber {
  const streamByKey = new Map<string, string>()
  const subscriptions = createSubscriptions({
    source: {
      subscribe(stream) {
        streamByKey.set(channelKey(stream), stream)
        return Promise.resolve()
      },
      unsubscribe: (stream) => void streamByKey.delete(channelKey(stream)),
      read,
    },
    log,
  })
  const listener = openNotificationListener({
    ...options,
    connected: subscriptions.connected,
    disconnected: subscriptions.disconnected,
    onNotification(key) {
      const stream = streamByKey.get(key)
      if (stream !== undefined) subscriptions.changed(stream)
    },
  })
  return {
    subscribe: subscriptions.add,
    async close() {
      subscriptions.close()
      await listener.close()
    },
  }
}
