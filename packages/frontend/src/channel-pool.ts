import { isEnd, type Channel, type ChannelState } from './channel.ts'
import { systemClock, type Clock } from './clock.ts'
import { createStore } from './store.ts'

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
  const entries = new Map<string, Entry>()
  return {
    share(key, open, options = {}) {
      const found = entries.get(key)
      if (found && !isEnd(found.channel.state.get().status)) return found.share()
      const entry = createEntry(open(), options, () => {
        if (entries.get(key) === entry) entries.delete(key)
      })
      entries.set(key, entry)
      return entry.share()
    },
  }
}

interface Entry {
  channel: Channel
  share(): SharedChannel
}

/** A channel and those who hold it; when the last one has left, it is closed and `forget` called. */
function createEntry(channel: Channel, options: ShareOptions, forget: () => void): Entry {
  const { lingerMs = 1000, clock = systemClock } = options
  let holders = 0
  let stopLinger = (): void => {}
  return {
    channel,
    share() {
      holders++
      stopLinger()
      return shareOf(channel, (mayLinger) => {
        if (--holders > 0) return
        if (mayLinger) stopLinger = clock.after(lingerMs, drop)
        else drop()
      })
    },
  }

  function drop(): void {
    forget()
    channel.close()
  }
}

/** One holder's view of a channel: it ends when the holder leaves, whatever the others do. */
function shareOf(channel: Channel, leave: (mayLinger: boolean) => void): SharedChannel {
  const state = createStore<ChannelState>(channel.state.get())
  const stops = [channel.state.subscribe(() => state.patch(channel.state.get()))]
  let hasLeft = false
  return {
    state,
    send: (message) => !hasLeft && channel.send(message),
    onMessage: (listener) => keep(channel.onMessage(listener)),
    onGap: (listener) => keep(channel.onGap(listener)),
    close: () => end(false),
    release: () => end(true),
  }

  function keep(stop: () => void): () => void {
    stops.push(stop)
    return stop
  }

  function end(mayLinger: boolean): void {
    if (hasLeft) return
    hasLeft = true
    for (const stop of stops) stop()
    state.patch({ status: 'closed' })
    leave(mayLinger)
  }
}
