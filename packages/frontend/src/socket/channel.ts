import { CommonApiError, READY_STATE, type ApiError, type ReadyState, type ServerFrame } from '@sdk/protocol'
import { systemClock } from '../clock.ts'
import type { WelcomeFrame } from './socket-connection.ts'
import { createInbox, type ReceiptSettings } from './inbox.ts'
import { createOutbox, type OutboxEntry, type OutboxLimits } from './outbox.ts'
import { createReconnectingSocket, isTerminal, type SocketSettings, type SocketStatus } from './reconnecting-socket.ts'
import { socketError } from './socket-error.ts'
import { createListeners, createStore, type Store } from '../store/store.ts'

/** The state of a channel. */
export interface ChannelState {
  /** The status of the connection. */
  readonly status: SocketStatus
  /** The last error. It is cleared when the connection reopens or the next message is sent over an open connection. */
  readonly error: ApiError | null
  /** The number of messages that the server has not acknowledged yet. */
  readonly pending: number
}

/** A range of permanently lost messages in a room, or in the session itself if `room` is null. */
export interface Gap {
  readonly room: string | null
  /** The number of the last message before the gap. */
  readonly from: number
  /** The number of the last lost message. */
  readonly to: number
}

/** A bidirectional message channel that survives reconnects. */
export interface Channel<Send = unknown, Receive = unknown> {
  /** A store for the connection's state. */
  readonly state: Store<ChannelState>
  /**
   * Sends a message, immediately or as soon as the socket is connected. The message is serialized immediately. Returns
   * false if the channel has ended, or if the queue is full (`error.code` is then `QUEUE_FULL`).
   */
  send(message: Send): boolean
  /** Adds a listener for messages and returns a function that removes it. */
  onMessage(listener: (message: Receive) => void): () => void
  /** Adds a listener for lost messages, for example to reload data, and returns a function that removes it. */
  onGap(listener: (gap: Gap) => void): () => void
  /** Closes the channel permanently. */
  close(): void
}

/** Channel options that have defaults. */
export interface ChannelSettings extends SocketSettings, OutboxLimits, ReceiptSettings {
  /**
   * The maximum number of bytes in the socket's write buffer. Messages wait while the buffer is larger.
   * @default 1 MiB
   */
  maxBuffered?: number | undefined
  /** Called for every new connection, after its handshake. */
  onReady?: (() => void) | undefined
}

/** Options for `createChannel`. */
export interface ChannelOptions extends ChannelSettings {
  /** The URL of the socket: `wss://…`. */
  url: string
}

/** Converts a status to the `readyState` of a `WebSocket`. */
export function toReadyState(status: SocketStatus): ReadyState {
  if (status === 'open') return READY_STATE.open
  return isTerminal(status) ? READY_STATE.closed : READY_STATE.connecting
}

/** The interval in ms at which a full write buffer is checked. */
const DRAIN_MS = 50

/** The maximum message size in bytes until the server announces its limit. */
const MAX_BYTES = 1_048_576

/** The size of the frame around a message in bytes, rounded up. */
const FRAME_BYTES = 64

/**
 * Creates an `sdk.v1` channel over a reconnecting socket. It numbers messages, keeps them until they are acknowledged,
 * and drops duplicates. Most apps use `client.socket(path)` instead, which shares a connection and sends the user's
 * token.
 */
export function createChannel(options: ChannelOptions): Channel {
  const { clock = systemClock, maxBuffered = MAX_BYTES } = options
  const outbox = createOutbox(options)
  const inbox = createInbox((frame) => socket.send(JSON.stringify(frame)), { ...options, clock })
  const messages = createListeners<unknown>()
  const gaps = createListeners<Gap>()
  const state = createStore<ChannelState>({ status: 'idle', error: null, pending: 0 })
  let limits = { win: 0, max: MAX_BYTES }
  let stopDrain: (() => void) | undefined
  // `hello` comes from the inbox, `waitingSince` from the outbox.
  const socket = createReconnectingSocket({ ...options, ...inbox, ...outbox, onReady, onFrame, onStatus })

  return { state, send, onMessage: messages.add, onGap: gaps.add, close: socket.close }

  function send(message: unknown): boolean {
    const entry = encodeMessage(message, limits.max)
    if (isTerminal(state.get().status)) return false
    const isQueued = outbox.add(entry)
    if (!isQueued) state.patch({ error: new CommonApiError('QUEUE_FULL', 'queue is full') })
    // Clears the error of an earlier message, but keeps the error that explains a missing connection.
    else if (state.get().status === 'open') state.patch({ error: null })
    pump()
    return isQueued
  }

  function onStatus(status: SocketStatus, error = state.get().error): void {
    if (isTerminal(status)) {
      stopDrain?.()
      inbox.close()
    }
    state.patch({ status, error })
  }

  function onReady(welcome: WelcomeFrame): void {
    limits = welcome
    inbox.welcome(welcome)
    const error = outbox.welcome(welcome) ? messageTooLarge(limits.max) : null
    options.onReady?.()
    onStatus('open', error)
    pump()
  }

  function onFrame(frame: ServerFrame): void {
    if (frame.o === 'm') return inbox.take(frame) ? messages.notify(frame.d) : undefined
    inbox.seek(frame)
    if (frame.o === 'gap') gaps.notify({ room: frame.s ?? null, from: frame.from, to: frame.to })
    // The failed message stays in the outbox until it is acknowledged. Otherwise, its number would be missing when
    // messages are resent.
    if (frame.o === 'e' && frame.error)
      state.patch({ error: socketError(frame.status ?? 500, frame.error.message, frame.error) })
    if (frame.o === 'a') outbox.acknowledge(frame.i)
    // The server is shutting down: later messages wait for the next server.
    if (frame.o === 'bye') limits.win = 0
    pump()
  }

  function pump(): void {
    stopDrain?.()
    let text: string | undefined
    while (socket.buffered() <= maxBuffered && (text = outbox.next(limits.win, clock.now()))) socket.send(text)
    // Without a connection, `buffered` is NaN and both comparisons are false. The next connection calls `pump`.
    if (socket.buffered() > maxBuffered) stopDrain = clock.after(DRAIN_MS, pump)
    state.patch({ pending: outbox.size() })
  }
}

/**
 * Encodes a message for the outbox. Throws a `TypeError` if it cannot be serialized as JSON, or an `ApiError` if it is
 * too large.
 */
export function encodeMessage(message: unknown, max: number = MAX_BYTES): OutboxEntry {
  const json = JSON.stringify(message) as string | undefined
  if (json === undefined) throw new TypeError(`a message must be JSON, got ${typeof message}`)
  const bytes = new TextEncoder().encode(json).length + FRAME_BYTES
  // The server would close the connection, and would do so again after every reconnect.
  if (bytes > max) throw messageTooLarge(max)
  return { json, bytes }
}

function messageTooLarge(max: number): ApiError {
  return socketError(413, `message exceeds ${max} bytes`)
}
