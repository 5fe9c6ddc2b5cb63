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
  const entries = new Map<string, () => SharedChannel>()
  return { share: (key, open, options = {}) => (entries.get(key) ?? add(key, open(), options))() }

  function add(key: string, channel: Channel, options: ShareOptions): () => SharedChannel {
    const share = shareable(channel, options)
    entries.set(key, share)
    channel.state.subscribe(() => {
      if (isEnd(channel.state.get().status)) entries.delete(key)
    })
    return share
  }
}

/** Makes shares of a channel, which is closed when the last one is. */
function shareable(channel: Channel, { lingerMs = 1000, clock = systemClock }: ShareOptions): () => SharedChannel {
  let holders = 0
  let stopLinger = (): void => {}
  return () => {
    holders++
    stopLinger()
    return shareOf(channel, (mayLinger) => {
      if (--holders > 0) return
      if (mayLinger) stopLinger = clock.after(lingerMs, channel.close)
      else channel.close()
    })
  }
}

/** One holder's view of a channel: it ends when the holder leaves, whatever the others do. */
function shareOf(channel: Channel, leave: (mayLinger: boolean) => void): SharedChannel {
  const { get, subscribe } = channel.state
  const state = createStore<ChannelState>(get())
  const stops = [subscribe(() => state.patch(get()))]
  let hasLeft = false
  return {
    state,
    send: (message) => !hasLeft && channel.send(message),
    onMessage: until(channel.onMessage),
    onGap: until(channel.onGap),
    close: () => end(false),
    release: () => end(true),
  }

  /** Listens until the holder stops or leaves. */
  function until<Listener>(listen: (listener: Listener) => () => void): (listener: Listener) => () => void {
    return (listener) => {
      const stop = listen(listener)
      stops.push(stop)
      return stop
    }
  }

  function end(mayLinger: boolean): void {
    if (hasLeft) return
    hasLeft = true
    for (const stop of stops) stop()
    state.patch({ status: 'closed' })
    leave(mayLinger)
  }
}
