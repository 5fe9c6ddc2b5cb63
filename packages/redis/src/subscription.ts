import type { EngineFrame, Log } from '@sdk/server'
import type { Connection } from './connection.ts'
import { createFollower } from './follower.ts'
import { ORIGIN, type Position } from './position.ts'
import { parseMessage, type StreamStore } from './stream-store.ts'

/** Takes the messages of a stream. */
export type Listener = (frame: EngineFrame) => void

/** One stream, heard by many listeners of this process. */
export interface Subscription {
  readonly listeners: Set<Listener>
  /** Where it began: settles when the stream is heard, however long Redis is away, or when the subscription has ended. */
  readonly heard: Promise<Position>
  /** The last message that the listeners were told, or where it began; undefined until the stream is heard. */
  position(): Position | undefined
  /** There is a connection, the first or another: asks for the channel and reads what was missed. */
  attach(): Promise<void>
  /** The channel carried a message. */
  receive(message: string): void
  end(): void
}

/** What a subscription works with. */
export interface SubscriptionParts {
  readonly stream: string
  readonly redis: Connection
  readonly store: StreamStore
  readonly log: Log
}

const RETRY_AFTER_MS = 200

/** Subscribes to one stream. */
export function createSubscription({ stream, redis, store, log }: SubscriptionParts): Subscription {
  const channel = store.channelOf(stream)
  const listeners = new Set<Listener>()
  let isEnded = false
  let settle: (start: Position) => void = () => undefined
  const heard = new Promise<Position>((resolve) => (settle = resolve))
  const follower = createFollower({
    read: (position) => persist(() => store.read(stream, position)),
    deliver: (frame) => tell(listeners, frame, log),
  })

  return {
    listeners,
    heard,
    position: follower.position,
    async attach() {
      await persist(() => redis.subscribe(channel))
      await follower.catchUp()
      settle(follower.start() ?? ORIGIN)
    },
    receive: (message) => follower.receive(parseMessage(stream, message)),
    end() {
      isEnded = true
      settle(ORIGIN)
      redis.unsubscribe(channel).catch(() => undefined) // without a connection there is nothing to end
    },
  }

  /** Tries until it works or nobody wants it any more. */
  async function persist<T>(task: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      if (isEnded) return undefined
      try {
        return await task()
      } catch (error) {
        log.debug('Redis will be asked again', { stream, error: String(error) })
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS).unref())
      }
    }
  }
}

/** One listener's fault is neither the others' nor the connection's. */
function tell(listeners: ReadonlySet<Listener>, frame: EngineFrame, log: Log): void {
  for (const listener of listeners) {
    try {
      listener(frame)
    } catch (error) {
      const fields = error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) }
      log.error('a listener of the engine failed', { stream: frame.stream, ...fields })
    }
  }
}
