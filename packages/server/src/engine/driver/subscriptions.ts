import { errorFields, type Log } from '../../log/log.ts'
import { unref } from '../../platform/unref-timer.ts'
import type { EngineFrame, EnginePosition, EngineSubscription } from '../engine.ts'
import { createFollower } from './follower.ts'
import { isAfter, ORIGIN } from './position.ts'
import type { StreamSource } from './stream-source.ts'

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

type FrameListener = (frame: EngineFrame) => void

/** One stream, heard by many listeners of this process. */
interface StreamSubscription {
  readonly listeners: Set<FrameListener>
  /** Where it began: settles when the stream is heard, however long that takes, or when the subscription has ended. */
  readonly ready: Promise<EnginePosition>
  /** The last message that the listeners were told, or where it began; undefined until the stream is heard. */
  position(): EnginePosition | undefined
  /** There is a connection, the first or another: asks to hear of the stream and reads what was missed. */
  attach(): Promise<void>
  /** A message came. */
  receive(frame: EngineFrame): void
  /** There is something new to read. */
  catchUp(): void
  end(): void
}

const RETRY_AFTER_MS = 200

/** Subscribes to one stream. */
function createStreamSubscription({
  stream,
  source,
  log,
}: SubscriptionsOptions & { readonly stream: string }): StreamSubscription {
  const listeners = new Set<FrameListener>()
  let isEnded = false
  let settle: (start: EnginePosition) => void = () => undefined
  const ready = new Promise<EnginePosition>((resolve) => (settle = resolve))
  const follower = createFollower({
    read: (position) => retry(() => source.read(stream, position)),
    deliver: (frame) => notifyListeners(listeners, frame, log),
  })

  return {
    listeners,
    ready: ready,
    position: follower.position,
    async attach() {
      await retry(() => source.subscribe(stream))
      await follower.catchUp()
      settle(follower.start() ?? ORIGIN)
    },
    receive: follower.receive,
    catchUp: () => void follower.catchUp(),
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
