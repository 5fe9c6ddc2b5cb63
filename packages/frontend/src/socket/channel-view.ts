import type { ApiError } from '@sdk/protocol'
import { createBatch } from '../store/batch.ts'
import { encodeMessage, type ChannelState } from './channel.ts'
import type { SharedChannel } from './channel-refcount.ts'
import type { Clock } from '../clock.ts'
import { createStore, type Store } from '../store/store.ts'

/** What a view shows of a channel. */
export interface ChannelViewState extends ChannelState {
  /** The latest message. */
  readonly data: unknown
  /** All messages since `attach` or `clear`; the oldest go first when there are too many. */
  readonly messages: readonly unknown[]
}

/** Options of `createChannelView`. */
export interface ChannelViewOptions {
  /** How many messages are kept. @default 10_000 */
  maxMessages?: number | undefined
  /** What tells the time. @default the time of this machine */
  clock?: Clock | undefined
}

/** A channel as a store to render from: messages pile up in it, at most one change a frame. */
export interface ChannelView extends Store<ChannelViewState> {
  /** Looks at this channel from now on, with an empty history; returns the way to let go of it, and of what it told. */
  attach(channel: SharedChannel, name?: string): () => void
  /** What it sees of the channel of this name: nothing, while that is not the one it looks at. */
  of(name: string | undefined): ChannelViewState
  /** Sends over the channel; what comes before there is one waits for it. */
  send(message: unknown): boolean
  /** Empties the history. */
  clear(): void
  /** Lets go of the channel. */
  close(): void
}

const EMPTY_VIEW: ChannelViewState = { status: 'idle', error: null, pending: 0, data: undefined, messages: [] }

/**
 * Makes a view for a UI framework to render from; `attach` lets it look at a channel.
 * @example const view = createChannelView(); view.attach(client.socket('/ws/chat'))
 */
export function createChannelView({ maxMessages = 10_000, clock }: ChannelViewOptions = {}): ChannelView {
  const store = createStore(EMPTY_VIEW)
  const batch = createBatch(flush, { clock })
  let channel: SharedChannel | null = null
  let seen: string | undefined
  let history: unknown[] = []
  let hasNews = false
  let latest: unknown
  // What is sent before there is a channel; null from then on.
  let waiting: unknown[] | null = []

  const of = (name?: string): ChannelViewState => (name === seen ? store.get() : EMPTY_VIEW)
  return { ...store, attach, of, send, clear, close }

  function attach(next: SharedChannel, name?: string): () => void {
    const stop = next.state.subscribe(batch.touch)
    channel = next
    seen = name
    history = []
    latest = undefined
    store.patch(next.state.get())
    next.onMessage(take)
    for (const message of waiting ?? []) {
      try {
        next.send(message)
      } catch (error) {
        // It is too large for this server. Its sender has gone on, so that only the state can tell.
        store.patch({ error: error as ApiError })
      }
    }
    waiting = null
    return () => {
      stop()
      batch.cancel()
      next.release()
      store.patch(EMPTY_VIEW)
    }
  }

  function take(message: unknown): void {
    latest = message
    history.push(message)
    // Cut in large steps, so that a full history costs no copy a message.
    if (history.length >= maxMessages * 2) history = history.slice(-maxMessages)
    hasNews = true
    batch.touch()
  }

  function send(message: unknown): boolean {
    if (!waiting) return channel?.send(message) ?? false
    // As over a channel, what cannot be sent throws now, and later changes do not change what was sent.
    return waiting.length < 1000 && waiting.push(JSON.parse(encodeMessage(message).json)) > 0
  }

  function clear(): void {
    history = []
    store.patch({ messages: history })
  }

  function close(): void {
    waiting = null
    channel?.close()
    store.patch({ status: 'closed' })
  }

  function flush(): void {
    const messages = hasNews ? history.slice(-maxMessages) : store.get().messages
    hasNews = false
    store.patch({ ...channel?.state.get(), messages, data: latest })
  }
}
