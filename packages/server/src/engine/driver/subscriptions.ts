import type { Log } from '../../log/log.ts'
import type { EngineFrame, EngineSubscription } from '../engine.ts'
import { isAfter, ORIGIN } from './position.ts'
import type { StreamSource } from './stream-source.ts'
import { createStreamSubscription, type FrameListener, type StreamSubscription } from './subscription.ts'

/** Who of this process hears which stream. */
export interface Subscriptions {
  /** Settles when the stream is heard. */
  add(stream: string, listener: FrameListener): Promise<EngineSubscription>
  /** There is a connection, the first or another. */
  connected(): void
  /** There is none. */
  disconnected(): void
  /** A message came over it. */
  receive(frame: EngineFrame): void
  /** A stream has news, to be read. */
  changed(stream: string): void
  close(): void
}

/** What subscriptions work with. */
export interface SubscriptionsOptions {
  readonly source: StreamSource
  readonly log: Log
}

/** The subscriptions of an engine that reaches its streams over a connection. */
export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const byStream = new Map<string, StreamSubscription>()
  let isClosed = false
  let isConnected = false

  return {
    async add(stream, listener) {
      if (isClosed) return { from: ORIGIN, end: () => undefined }
      const subscription = byStream.get(stream) ?? open(stream)
      const joined = subscription.position()
      // Wrapped, as one function may listen twice. A listener that joins while a message is delivered does not get that
      // one.
      const own: FrameListener = (frame) => {
        if (joined === undefined || isAfter(frame, joined)) listener(frame)
      }
      subscription.listeners.add(own)
      const start = await subscription.ready
      return { from: joined ?? start, end: () => remove(stream, own) }
    },
    connected() {
      isConnected = true
      for (const subscription of byStream.values()) void subscription.attach()
    },
    disconnected() {
      isConnected = false
    },
    receive: (frame) => byStream.get(frame.stream)?.receive(frame),
    changed: (stream) => byStream.get(stream)?.catchUp(),
    close() {
      isClosed = true
      for (const subscription of byStream.values()) subscription.end()
      byStream.clear()
    },
  }

  function open(stream: string): StreamSubscription {
    const subscription = createStreamSubscription({ ...options, stream })
    byStream.set(stream, subscription)
    if (isConnected) void subscription.attach()
    return subscription
  }

  function remove(stream: string, listener: FrameListener): void {
    const subscription = byStream.get(stream)
    if (subscription?.listeners.delete(listener) !== true || subscription.listeners.size > 0) return
    byStream.delete(stream)
    subscription.end()
  }
}
