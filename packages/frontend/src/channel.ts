import { CommonApiError, READY_STATE, type ApiError, type ReadyState, type ServerFrame } from '@sdk/protocol'
import { systemClock } from './clock.ts'
import type { WelcomeFrame } from './connection.ts'
import { createInbox, type ReceiptOptions } from './inbox.ts'
import type { SocketStatus } from './line.ts'
import { createOutbox, type OutboxLimits } from './outbox.ts'
import { createReconnectingSocket, type SocketSettings } from './reconnecting-socket.ts'
import { frameError } from './socket-error.ts'
import { createListeners, createStore, type Store } from './store.ts'

/** A channel at one moment. */
export interface ChannelState {
  readonly status: SocketStatus
  /** The last error; gone when the connection is open again. */
  readonly error: ApiError | null
  /** How many messages the server has not yet said to have handled. */
  readonly pending: number
}

/** Messages that are lost for good: of a room, or of our own session where `room` is null. */
export interface Gap {
  readonly room: string | null
  /** The number of the last message that came before them. */
  readonly from: number
  /** The number of the last one that is lost. */
  readonly to: number
}

/** Messages both ways, over connections that come and go. */
export interface Channel<Send = unknown, Receive = unknown> {
  readonly state: Store<ChannelState>
  /**
   * Sends a message, now or when there is a connection; it is made JSON at once.
   * False where the channel has ended or too much waits (`error.code` is then `QUEUE_FULL`).
   */
  send(message: Send): boolean
  /** Called for every message; returns the way to stop. */
  onMessage(listener: (message: Receive) => void): () => void
  /** Called where messages were lost, so that one can load anew what they told; returns the way to stop. */
  onGap(listener: (gap: Gap) => void): () => void
  /** Ends it for good. */
  close(): void
}

/** Options of a channel that have defaults. */
export interface ChannelSettings extends SocketSettings, OutboxLimits, ReceiptOptions {
  /** How many bytes may wait to leave this machine before no more are written. @default 1 MiB */
  maxBuffered?: number | undefined
}

/** Options of `createChannel`. */
export interface ChannelOptions extends ChannelSettings {
  url: string
}

/** The number of a socket's status in the terms of `WebSocket`. */
export function toReadyState(status: SocketStatus): ReadyState {
  if (status === 'open') return READY_STATE.open
  return isEnd(status) ? READY_STATE.closed : READY_STATE.connecting
}

/** Has a channel of this status ended for good? */
export function isEnd(status: SocketStatus): boolean {
  return status === 'closed' || status === 'failed'
}

/** How often we look whether the network has taken what was written, in ms. */
const DRAIN_MS = 50

/** Bytes of the frame around a message, and some to spare. */
const FRAME_BYTES = 64

/** Speaks `sdk.v1` over a reconnecting socket: numbers messages, keeps them until they are handled, drops repeated ones. */
export function createChannel(options: ChannelOptions): Channel {
  const { clock = systemClock, maxBuffered = 1_048_576 } = options
  const outbox = createOutbox(options)
  const inbox = createInbox((frame) => socket.send(JSON.stringify(frame)), options)
  const messages = createListeners<unknown>()
  const gaps = createListeners<Gap>()
  const state = createStore<ChannelState>({ status: 'idle', error: null, pending: 0 })
  let limits = { win: 0, max: 1_048_576 }
  let stopDrain = (): void => {}
  // The inbox says hello, the outbox since when a message waits.
  const socket = createReconnectingSocket({ ...options, ...inbox, ...outbox, onReady, onFrame, onStatus })

  return { state, send, onMessage: messages.add, onGap: gaps.add, close: socket.close }

  function send(message: unknown): boolean {
    const json = toJson(message)
    const bytes = new TextEncoder().encode(json).length + FRAME_BYTES
    // The server would hang up on it, after every reconnect anew.
    if (bytes > limits.max) throw tooLarge(limits)
    if (isEnd(state.get().status)) return false
    const isTaken = outbox.add(json, bytes)
    if (isTaken) pump()
    else state.patch({ error: new CommonApiError('QUEUE_FULL', `${outbox.size} messages wait already`) })
    return isTaken
  }

  function onStatus(status: SocketStatus, error = state.get().error): void {
    if (isEnd(status)) {
      stopDrain()
      inbox.close()
    }
    state.patch({ status, error })
  }

  function onReady(welcome: WelcomeFrame): void {
    limits = welcome
    inbox.welcome(welcome)
    state.patch({ status: 'open', error: outbox.welcome(welcome) ? tooLarge(limits) : null })
    pump()
  }

  function onFrame(frame: ServerFrame): void {
    if (frame.o === 'm') return inbox.take(frame) ? messages.tell(frame.d) : undefined
    inbox.move(frame)
    if (frame.o === 'gap') gaps.tell({ room: frame.s ?? null, from: frame.from, to: frame.to })
    // Its receipt follows, when the server will remember it; without that, numbers would be missing after a crash.
    if (frame.o === 'e' && frame.error) state.patch({ error: frameError(frame) })
    if (frame.o === 'a') outbox.acknowledge(frame.i)
    // The server goes away: what is sent from now on waits for the next one.
    if (frame.o === 'bye') limits.win = 0
    pump()
  }

  function pump(): void {
    stopDrain()
    while (socket.buffered() <= maxBuffered) {
      const text = outbox.next(limits.win, clock.now())
      if (!text) break
      socket.send(text)
    }
    const buffered = socket.buffered()
    if (buffered > maxBuffered && buffered < Infinity) stopDrain = clock.after(DRAIN_MS, pump)
    const { error } = state.get()
    state.patch({ pending: outbox.size, error: error?.code === 'QUEUE_FULL' ? null : error })
  }
}

/** A message as JSON text; what has none is a `TypeError`. */
export function toJson(message: unknown): string {
  const json = JSON.stringify(message) as string | undefined
  if (json === undefined) throw new TypeError(`a message must be JSON, got ${typeof message}`)
  return json
}

function tooLarge({ max }: { max: number }): ApiError {
  return new CommonApiError('CONTENT_TOO_LARGE', `a message has at most ${max} bytes`)
}
