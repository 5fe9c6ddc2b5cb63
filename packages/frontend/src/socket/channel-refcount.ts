import type { Channel, Gap } from './channel.ts'
import { systemClock, type Clock } from '../clock.ts'
import { isTerminal } from './reconnecting-socket.ts'
import type { Batch } from '../store/batch.ts'
import { createListeners, createStore, type Listeners } from '../store/store.ts'

/** A reference to a channel that may be shared. */
export interface SharedChannel<Send = unknown, Receive = unknown> extends Channel<Send, Receive> {
  /** Releases the reference like `close`, but keeps the connection open for `lingerMs` so that it can be reused. */
  release(): void
  /** The views of all references. */
  readonly views: ChannelViews
}

/** The views of a channel. They update in one batch: otherwise, some views would show a message earlier than others. */
export interface ChannelViews extends Listeners<void> {
  /** The shared batch. Created by the first view. */
  batch?: Batch
}

/** Options for `createChannelRefcount` that have defaults. */
export interface ShareSettings {
  /** How long a released channel remains open, in ms. @default 1000 */
  lingerMs?: number | undefined
  /** The source of time. @default the system clock */
  clock?: Clock | undefined
}

export interface ShareOptions extends ShareSettings {
  /** Called when the channel has ended and can no longer be shared. */
  onEnd(): void
}

/** Returns a function that creates references to a channel. When the last reference is released, the channel closes. */
export function createChannelRefcount(channel: Channel, options: ShareOptions): () => SharedChannel {
  const { lingerMs = 1000, clock = systemClock } = options
  const { get, subscribe } = channel.state
  const views: ChannelViews = createListeners()
  let refCount = 0
  let stopLinger: (() => void) | undefined
  const unsubscribe = subscribe(() => {
    if (!isTerminal(get().status)) return
    unsubscribe()
    options.onEnd()
  })

  /** Creates a reference, which can be closed independently of the others. */
  return () => {
    const state = createStore(get())
    const messages = createListeners<unknown>()
    const gaps = createListeners<Gap>()
    const stops = [subscribe(() => state.patch(get())), channel.onMessage(messages.notify), channel.onGap(gaps.notify)]
    const isClosed = (): boolean => isTerminal(state.get().status)
    const release = (end: () => void): void => {
      if (isClosed()) return
      for (const stop of stops) stop()
      state.patch({ status: 'closed' })
      if (--refCount === 0) end()
    }
    refCount++
    stopLinger?.()
    return {
      state,
      views,
      send: (message) => !isClosed() && channel.send(message),
      onMessage: messages.add,
      onGap: gaps.add,
      close: () => release(channel.close),
      release: () => release(() => (stopLinger = clock.after(lingerMs, channel.close))),
    }
  }
}
