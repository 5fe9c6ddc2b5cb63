import { errorFields, type Log } from '../../log/log.ts'
import { unref } from '../../platform/unref-timer.ts'
import type { EngineFrame, EnginePosition } from '../engine.ts'
import { createFollower } from './follower.ts'
import { ORIGIN } from './position.ts'
import type { StreamSource } from './stream-source.ts'

/** Takes the messages of a stream. */
export type FrameListener = (frame: EngineFrame) => void

/** One stream, heard by many listeners of this process. */
export interface StreamSubscription {
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

/** What a subscription works with. */
export interface StreamSubscriptionOptions {
  readonly stream: string
  readonly source: StreamSource
  readonly log: Log
}

const RETRY_AFTER_MS = 200

/** Subscribes to one stream. */
export function createStreamSubscription({ stream, source, log }: StreamSubscriptionOptions): StreamSubscription {
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
