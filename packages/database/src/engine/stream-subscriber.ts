import type { Engine } from '@sdk/server'
import { createSubscriptions, type SubscriptionsParts } from '@sdk/server/engine'
import { type EarParts, markOf, openEar } from './notification-listener.ts'

/** The streams that this process hears. */
export interface Hearing {
  readonly subscribe: Engine['subscribe']
  close(): Promise<void>
}

/** What hearing works with. */
export interface HearingParts
  extends Pick<EarParts, 'url' | 'channel' | 'timeout' | 'prepare'>, Pick<SubscriptionsParts, 'log'> {
  readonly read: SubscriptionsParts['source']['read']
}

/** Hears streams by a connection that is told which of them have news. */
export function hearStreams({ read, log, ...parts }: HearingParts): Hearing {
  const marks = new Map<string, string>()
  const subscriptions = createSubscriptions({
    source: {
      hear(stream) {
        marks.set(markOf(stream), stream)
        return Promise.resolve()
      },
      unhear: (stream) => void marks.delete(markOf(stream)),
      read,
    },
    log,
  })
  const ear = openEar({
    ...parts,
    connected: subscriptions.connected,
    disconnected: subscriptions.disconnected,
    heard(mark) {
      const stream = marks.get(mark)
      if (stream !== undefined) subscriptions.changed(stream)
    },
  })
  return {
    subscribe: subscriptions.add,
    async close() {
      subscriptions.close()
      await ear.close()
    },
  }
}
