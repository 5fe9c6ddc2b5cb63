import type { Channel, Gap } from './channel.ts'
import { systemClock, type Clock } from '../clock.ts'
import { isTerminal } from './line.ts'
import { createListeners, createStore } from '../store/store.ts'

/** A share of a channel that others may hold too. */
export interface SharedChannel<Send = unknown, Receive = unknown> extends Channel<Send, Receive> {
  /** Lets go, as `close` does, but the connection stays a moment for whoever asks for it next. */
  release(): void
}

/** Options of `shareChannel` that have defaults. */
export interface ShareSettings {
  /** How long a released channel stays open in ms. @default 1000 */
  lingerMs?: number | undefined
  /** What tells the time. @default the time of this machine */
  clock?: Clock | undefined
}

/** Options of `shareChannel`. */
export interface ShareOptions extends ShareSettings {
  /** The channel has ended: there is nothing to share any more. */
  onEnd(): void
}

/** Lets many hold a channel: returns what makes a share, and closes the channel with the last of them. */
export function createChannelRefcount(channel: Channel, options: ShareOptions): () => SharedChannel {
  const { lingerMs = 1000, clock = systemClock } = options
  const { get, subscribe } = channel.state
  let holders = 0
  let stopLinger: (() => void) | undefined
  const stopWatch = subscribe(() => {
    if (!isTerminal(get().status)) return
    stopWatch()
    options.onEnd()
  })

  /** One holder's view of the channel: it ends when the holder leaves, whatever the others do. */
  return () => {
    const state = createStore(get())
    const messages = createListeners<unknown>()
    const gaps = createListeners<Gap>()
    const stops = [subscribe(() => state.patch(get())), channel.onMessage(messages.notify), channel.onGap(gaps.notify)]
    const isOver = (): boolean => isTerminal(state.get().status)
    const leave = (end: () => void): void => {
      if (isOver()) return
      for (const stop of stops) stop()
      state.patch({ status: 'closed' })
      if (--holders === 0) end()
    }
    holders++
    stopLinger?.()
    return {
      state,
      send: (message) => !isOver() && channel.send(message),
      onMessage: messages.add,
      onGap: gaps.add,
      close: () => leave(channel.close),
      release: () => leave(() => (stopLinger = clock.after(lingerMs, channel.close))),
    }
  }
}
