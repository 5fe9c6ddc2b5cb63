import type { Engine } from '@sdk/server'
import { createSubscriptions, type StreamSource, type SubscriptionsOptions } from '@sdk/server/engine'
import { type NotificationListenerOptions, channelKey, openNotificationListener } from './notification-listener.ts'

type StreamSubscriberOptions = Pick<NotificationListenerOptions, 'url' | 'channel' | 'timeout' | 'prepare'> &
  Pick<SubscriptionsOptions, 'log'> &
  Pick<StreamSource, 'read'>

/** Creates stream subscriptions on a connection that is notified when streams have new messages. */
export function createStreamSubscriber(options: StreamSubscriberOptions): Pick<Engine, 'subscribe' | 'close'> {
  const streamByKey = new Map<string, string>()
  const subscriptions = createSubscriptions({
    source: {
      subscribe(stream) {
        streamByKey.set(channelKey(stream), stream)
        return Promise.resolve()
      },
      unsubscribe: (stream) => void streamByKey.delete(channelKey(stream)),
      read: options.read,
    },
    log: options.log,
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
