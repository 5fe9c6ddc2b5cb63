import { errorFields, type Log } from '../../log/log.ts'
import { unref } from '../../platform/unref-timer.ts'
import type { EngineFrame, EnginePosition, EngineSubscription } from '../engine.ts'
import { Follower, isAfter, ORIGIN, type StreamPage } from './follower.ts'

/** Where the streams of many processes are: what a driver brings along. */
export interface StreamSource {
  /** Asks to hear of a stream; rejects while that is out of reach. */
  subscribe(stream: string): Promise<void>
  /** Nobody wants to hear of it any more; never throws. */
  unsubscribe(stream: string): void
  /** What follows a position; without one, only the end of the stream, which begins where there was none. */
  read(stream: string, position: EnginePosition | undefined): Promise<StreamPage>
}

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
  const byStream = new Map<string, ReturnType<typeof createStreamSubscription>>()
  let isClosed = false
  let isConnected = false

  return {
    async add(stream, listener) {
      if (isClosed) return { from: ORIGIN, end: () => undefined }
      const subscription = byStream.get(stream) ?? open(stream)
      const joined = subscription.follower.position
      // Wrapped, as one function may listen twice. One that joins while a message is delivered does not get that one.
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
    receive: (frame) => byStream.get(frame.stream)?.follower.receive(frame),
    changed: (stream) => void byStream.get(stream)?.follower.catchUp(),
    close() {
      isClosed = true
      for (const subscription of byStream.values()) subscription.end()
      byStream.clear()
    },
  }

  function open(stream: string): ReturnType<typeof createStreamSubscription> {
    const subscription = createStreamSubscription(stream, options)
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

type FrameListener = (frame: EngineFrame) => void

const RETRY_AFTER_MS = 200

/** Subscribes to one stream, which many listeners of this process hear. */
function createStreamSubscription(stream: string, { source, log }: SubscriptionsOptions) {
  const listeners = new Set<FrameListener>()
  let isEnded = false
  let settle: (start: EnginePosition) => void = () => undefined
  const ready = new Promise<EnginePosition>((resolve) => (settle = resolve))
  const follower = new Follower({
    read: (position) => retry(() => source.read(stream, position)),
    deliver: (frame) => notifyListeners(listeners, frame, log),
  })

  return {
    listeners,
    /** Where it began: settles when the stream is heard, however long that takes, or when the subscription has ended. */
    ready,
    follower,
    /** There is a connection, the first or another: asks to hear of the stream and reads what was missed. */
    async attach() {
      await retry(() => source.subscribe(stream))
      await follower.catchUp()
      settle(follower.start ?? ORIGIN)
    },
    end() {
      isEnded = true
      settle(ORIGIN)
      source.unsubscribe(stream)
    },
  }

  /** Tries until it works or nobody wants it any more. */
  async function retry<T>(task: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      if (isEnded) return undefined
      try {
        return await task()
      } catch (error) {
        log.debug('the engine will be asked again', { stream, error: String(error) })
        await new Promise((resolve) => unref(setTimeout(resolve, RETRY_AFTER_MS)))
      }
    }
  }
}

/** One listener's fault is neither the others' nor the connection's. */
function notifyListeners(listeners: ReadonlySet<FrameListener>, frame: EngineFrame, log: Log): void {
  for (const listener of listeners) {
    try {
      listener(frame)
    } catch (error) {
      log.error('a listener of the engine failed', { stream: frame.stream, ...errorFields(error) })
    }
  }
}
