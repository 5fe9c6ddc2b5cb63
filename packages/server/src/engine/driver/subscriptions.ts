import { errorFields, type Log } from '../../log/log.ts'
import { unref } from '../../platform/unref-timer.ts'
import type { EngineFrame, EnginePosition, EngineSubscription } from '../engine.ts'
import { Follower, isAfter, ORIGIN, type StreamPage } from './follower.ts'

/** The source of shared streams. Implemented by each engine driver. */
export interface StreamSource {
  /** Subscribes to a stream. Rejects while the source is unavailable. */
  subscribe(stream: string): Promise<void>
  /** Unsubscribes from a stream. Never throws. */
  unsubscribe(stream: string): void
  /**
   * Reads the messages after a position. If the position is undefined, reads only the head, and creates the stream if
   * it does not exist.
   */
  read(stream: string, position: EnginePosition | undefined): Promise<StreamPage>
}

/** This process's stream subscriptions. */
export interface Subscriptions {
  /** Adds a listener. Resolves once the subscription is active. */
  add(stream: string, listener: FrameListener): Promise<EngineSubscription>
  /** Subscribes to all streams. Must be called after each connect or reconnect. */
  connected(): void
  /** Defers new subscriptions until `connected` is called. Must be called when the connection is lost. */
  disconnected(): void
  /** Handles a live message. */
  receive(frame: EngineFrame): void
  /** Reads new messages from a stream. */
  changed(stream: string): void
  close(): void
}

/** Options for `createSubscriptions`. */
export interface SubscriptionsOptions {
  readonly source: StreamSource
  readonly log: Log
}

/** Creates the subscriptions for an engine that accesses its streams over a connection. */
export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const byStream = new Map<string, ReturnType<typeof createStreamSubscription>>()
  let isClosed = false
  let isConnected = false

  return {
    async add(stream, listener) {
      if (isClosed) return { from: ORIGIN, end: () => undefined }
      const subscription = byStream.get(stream) ?? open(stream)
      const joined = subscription.follower.position
      // The wrapper allows a listener to be added twice, and ignores messages that were sent before it was added.
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

/** Subscribes to one stream for all of its listeners in this process. */
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
    /** A promise for the start position. It has no timeout, and also resolves when the subscription ends. */
    ready,
    follower,
    /** Subscribes to the stream and reads missed messages. Called after each connect or reconnect. */
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

  /** Retries a task until it succeeds or the subscription has ended. */
  async function retry<T>(task: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      if (isEnded) return undefined
      try {
        return await task()
      } catch (error) {
        log.debug('engine request failed; retrying', { stream, error: String(error) })
        await new Promise((resolve) => unref(setTimeout(resolve, RETRY_AFTER_MS)))
      }
    }
  }
}

/** Calls all listeners. An error in one of them affects neither the others nor the connection. */
function notifyListeners(listeners: ReadonlySet<FrameListener>, frame: EngineFrame, log: Log): void {
  for (const listener of listeners) {
    try {
      listener(frame)
    } catch (error) {
      log.error('engine listener failed', { stream: frame.stream, ...errorFields(error) })
    }
  }
}
