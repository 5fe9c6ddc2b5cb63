import type { ApiError } from '@sdk/protocol'
import type { Clock } from '../clock.ts'
import { createBatch } from '../store/batch.ts'
import { encodeMessage, type ChannelState } from './channel.ts'
import type { SharedChannel } from './channel-refcount.ts'
import { createStore, type Store } from '../store/store.ts'

/** The state of a channel view. */
export interface ChannelViewState extends ChannelState {
  /** The latest message. */
  readonly data: unknown
  /** All messages since `attach` or `clear`, but at most the last `maxMessages`. */
  readonly messages: readonly unknown[]
}

/** Options for `createChannelView`. */
export interface ChannelViewOptions {
  /** The maximum number of messages to keep. @default 10_000 */
  maxMessages?: number | undefined
  /** The source of time. @default the system clock */
  clock?: Clock | undefined
}

/** A store that collects a channel's messages for rendering, with at most one change per animation frame. */
export interface ChannelView extends Store<ChannelViewState> {
  /**
   * Attaches a channel and returns a function that releases it. The history is kept until a channel with a different
   * name, or without a name, is attached.
   */
  attach(channel: SharedChannel, name?: string): () => void
  /** Returns the state of the channel with this name, or an empty state if a different channel is attached. */
  of(name: string | undefined): ChannelViewState
  /** Sends a message over the channel. Messages sent before `attach` wait for the channel. */
  send(message: unknown): boolean
  /** Empties the history. */
  clear(): void
  /** Closes the channel. */
  close(): void
}

const EMPTY_VIEW: ChannelViewState = { status: 'idle', error: null, pending: 0, data: undefined, messages: [] }

/**
 * Creates a view that a UI framework can render. `attach` connects it to a channel.
 * @example const view = createChannelView(); view.attach(client.socket('/ws/chat'))
 */
export function createChannelView({ maxMessages = 10_000, clock }: ChannelViewOptions = {}): ChannelView {
  const store = createStore(EMPTY_VIEW)
  let channel: SharedChannel | null = null
  let history: unknown[] = []
  // The part of the history that is in the state, or undefined if the history has changed.
  let shown: unknown[] | undefined
  let attachedName: string | undefined
  let latest: unknown
  // Messages sent before a channel was attached; null afterwards.
  let waiting: unknown[] | null = []
  const of = (name?: string): ChannelViewState => (name === attachedName ? store.get() : EMPTY_VIEW)
  return { ...store, attach, of, send, clear, close }

  function attach(next: SharedChannel, name?: string): () => void {
    const { views } = next
    const stop = views.add(flush)
    // Runs in a microtask: by then, all views have received the message.
    const { touch } = (views.batch ??= createBatch(() => queueMicrotask(views.notify), { clock }))
    next.state.subscribe(touch)
    if (!name || name !== attachedName) {
      attachedName = name
      history = []
      latest = shown = undefined
    }
    channel = next
    flush()
    next.onMessage((message) => {
      latest = message
      history.push(message)
      // The history is truncated in large steps, so that it is not copied for each message.
      if (history.length >= maxMessages * 2) history = history.slice(-maxMessages)
      shown = undefined
      touch()
    })
    for (const message of waiting ?? []) {
      try {
        next.send(message)
      } catch (error) {
        // The message is too large for this server. `send` has already returned, so only the state can report the
        // error.
        store.patch({ error: error as ApiError })
      }
    }
    waiting = null
    return () => {
      stop()
      next.release()
      store.patch({ status: 'idle', error: null, pending: 0 })
    }
  }

  function send(message: unknown): boolean {
    if (!waiting) return channel?.send(message) ?? false
    // As with a channel, an invalid message throws immediately, and later mutations do not affect a sent message.
    return waiting.length < 1000 && waiting.push(JSON.parse(encodeMessage(message).json)) > 0
  }

  function clear(): void {
    history = []
    store.patch({ messages: (shown = []) })
  }

  function close(): void {
    waiting = null
    channel?.close()
    store.patch({ status: 'closed' })
  }

  function flush(): void {
    store.patch({ ...channel?.state.get(), messages: (shown ??= history.slice(-maxMessages)), data: latest })
  }
}
