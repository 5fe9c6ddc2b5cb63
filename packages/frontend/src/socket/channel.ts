import { CommonApiError, READY_STATE, type ApiError, type ReadyState, type ServerFrame } from '@sdk/protocol'
import { systemClock } from '../clock.ts'
import type { WelcomeFrame } from './socket-connection.ts'
import { createInbox, type ReceiptSettings } from './inbox.ts'
import { isTerminal, type SocketStatus } from './line.ts'
import { createOutbox, type OutboxEntry, type OutboxLimits } from './outbox.ts'
import { createReconnectingSocket, type SocketSettings } from './reconnecting-socket.ts'
import { socketError } from './socket-error.ts'
import { createListeners, createStore, type Store } from '../store/store.ts'

/** A channel at one moment. */
export interface ChannelState {
  /** Where the connection stands. */
  readonly status: SocketStatus
  /** The last error; gone when the connection is open again, and when the next message is sent over an open one. */
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
  /** Its connection, as a store. */
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
export interface ChannelSettings extends SocketSettings, OutboxLimits, ReceiptSettings {
  /** How many bytes may wait to leave this machine before no more are written. @default 1 MiB */
  maxBuffered?: number | undefined
}

/** Options of `createChannel`. */
export interface ChannelOptions extends ChannelSettings {
  /** Where to: `wss://…`. */
  url: string
}

/** The number of a socket's status in the terms of `WebSocket`. */
export function toReadyState(status: SocketStatus): ReadyState {
  if (status === 'open') return READY_STATE.open
  return isTerminal(status) ? READY_STATE.closed : READY_STATE.connecting
}

/** How often we look whether the network has taken what was written, in ms. */
const DRAIN_MS = 50

/** The largest message until a server says how large it takes them, in bytes. */
const MAX_BYTES = 1_048_576

/** Bytes of the frame around a message, and some to spare. */
const FRAME_BYTES = 64

/**
 * Speaks `sdk.v1` over a reconnecting socket: numbers messages, keeps them until they are handled, drops repeated ones.
 * Most apps want `client.socket(path)`, which shares one connection and sends the user's token.
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
  // `hello` is that of the inbox, `waitingSince` that of the outbox.
  const socket = createReconnectingSocket({ ...options, ...inbox, ...outbox, onReady, onFrame, onStatus })

  return { state, send, onMessage: messages.add, onGap: gaps.add, close: socket.close }

  function send(message: unknown): boolean {
    const entry = encodeMessage(message, limits.max)
    if (isTerminal(state.get().status)) return false
    const isTaken = outbox.add(entry)
    if (!isTaken) state.patch({ error: new CommonApiError('QUEUE_FULL', 'too many messages') })
    // What was wrong with a message is gone at the next try; why there is no connection stays.
    else if (state.get().status === 'open') state.patch({ error: null })
    pump()
    return isTaken
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
    state.patch({ status: 'open', error: outbox.welcome(welcome) ? messageTooLarge(limits.max) : null })
    pump()
  }

  function onFrame(frame: ServerFrame): void {
    if (frame.o === 'm') return inbox.take(frame) ? messages.notify(frame.d) : undefined
    inbox.updatePosition(frame)
    if (frame.o === 'gap') gaps.notify({ room: frame.s ?? null, from: frame.from, to: frame.to })
    // The message stays in the outbox until its receipt, which says that the server has noted its number: otherwise a
    // number would be missing after a crash.
    if (frame.o === 'e' && frame.error)
      state.patch({ error: socketError(frame.status ?? 500, frame.error.message, frame.error) })
    if (frame.o === 'a') outbox.acknowledge(frame.i)
    // The server goes away: what is sent from now on waits for the next one.
    if (frame.o === 'bye') limits.win = 0
    pump()
  }

  function pump(): void {
    stopDrain?.()
    let text: string | undefined
    while (socket.buffered() <= maxBuffered && (text = outbox.next(limits.win, clock.now()))) socket.send(text)
    // Without a connection `buffered` is not a number, and both comparisons are false: the next connection pumps.
    if (socket.buffered() > maxBuffered) stopDrain = clock.after(DRAIN_MS, pump)
    state.patch({ pending: outbox.size() })
  }
}

/** A message for the outbox. What is no JSON throws a `TypeError`, what is too large an `ApiError`, where its sender stands. */
export function encodeMessage(message: unknown, max: number = MAX_BYTES): OutboxEntry {
  const json = JSON.stringify(message) as string | undefined
  if (json === undefined) throw new TypeError(`a message must be JSON, got ${typeof message}`)
  const bytes = new TextEncoder().encode(json).length + FRAME_BYTES
  // The server would close the connection, after every reconnect again.
  if (bytes > max) throw messageTooLarge(max)
  return { json, bytes }
}

function messageTooLarge(max: number): ApiError {
  return socketError(413, `a message is at most ${max} bytes`)
}
