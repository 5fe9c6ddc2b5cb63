import { isEnd, type Channel, type ChannelState, type Gap } from './channel.ts'
import { systemClock, type Clock } from './clock.ts'
import { createListeners, createStore } from './store.ts'

/** A share of a channel that others may hold too. */
export interface SharedChannel<Send = unknown, Receive = unknown> extends Channel<Send, Receive> {
  /** Lets go, as `close` does, but the connection stays a moment for whoever asks for it next. */
  release(): void
}

/** Options of `ChannelPool.share`; those of whoever opens a channel are the channel's. */
export interface ShareOptions {
  /** How long a released channel stays open in ms. @default 1000 */
  lingerMs?: number | undefined
  clock?: Clock | undefined
}

/** Channels by key: opened by the first who asks, shared, closed by the last who leaves. */
export interface ChannelPool {
  share(key: string, open: () => Channel, options?: ShareOptions): SharedChannel
}

/** Makes an empty pool. */
export function createChannelPool(): ChannelPool {
  const entries = new Map<string, () => SharedChannel>()
  return { share: (key, open, options = {}) => (entries.get(key) ?? add(key, open(), options))() }

  /** Adds a channel, which is closed when the last share of it is; returns the way to a share. */
  function add(key: string, channel: Channel, options: ShareOptions): () => SharedChannel {
    const { lingerMs = 1000, clock = systemClock } = options
    let holders = 0
    let stopLinger = (): void => {}
    const stop = channel.state.subscribe(() => {
      if (!isEnd(channel.state.get().status)) return
      stop()
      entries.delete(key)
    })
    const share = (): SharedChannel => {
      holders++
      stopLinger()
      return shareOf(channel, (mayLinger) => {
        if (--holders > 0) return
        if (mayLinger) stopLinger = clock.after(lingerMs, channel.close)
        else channel.close()
      })
    }
    entries.set(key, share)
    return share
  }
}

/** One holder's view of a channel: it ends when the holder leaves, whatever the others do. */
function shareOf(channel: Channel, leave: (mayLinger: boolean) => void): SharedChannel {
  const { get, subscribe } = channel.state
  const state = createStore<ChannelState>(get())
  const messages = createListeners<unknown>()
  const gaps = createListeners<Gap>()
  const stops = [subscribe(() => state.patch(get())), channel.onMessage(messages.tell), channel.onGap(gaps.tell)]
  const isOver = (): boolean => isEnd(state.get().status)
  return {
    state,
    send: (message) => !isOver() && channel.send(message),
    onMessage: messages.add,
    onGap: gaps.add,
    close: () => end(false),
    release: () => end(true),
  }

  function end(mayLinger: boolean): void {
    if (isOver()) return
    for (const stop of stops) stop()
    state.patch({ status: 'closed' })
    leave(mayLinger)
  }
}
