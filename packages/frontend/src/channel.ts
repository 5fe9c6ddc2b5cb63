import { ApiError, encodeFrame, READY_STATE, type ReadyState, type ServerFrame } from '@sdk/protocol'
import { createBatch } from './batch.ts'
import type { WelcomeFrame } from './connection.ts'
import { fromLateEnvelope } from './failure.ts'
import { createInbox, type MessageFrame } from './inbox.ts'
import { createOutbox, type OutboxLimits } from './outbox.ts'
import { createReconnectingSocket, type SocketSettings, type SocketStatus } from './reconnecting-socket.ts'
import { createListeners, createStore, type Store } from './store.ts'

/** A channel at one moment. */
export interface ChannelState {
  readonly status: SocketStatus
  /** The last error; gone when the connection is open again. */
  readonly error: ApiError | null
  /** How many messages the server has not yet said to have handled. */
  readonly pending: number
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
  /** Ends it for good. */
  close(): void
}

/** Options of `createChannel`. */
export interface ChannelOptions extends SocketSettings, OutboxLimits {
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

/** Speaks `sdk.v1` over a reconnecting socket: numbers messages, keeps them until they are handled, drops repeated ones. */
export function createChannel(options: ChannelOptions): Channel {
  const outbox = createOutbox(options)
  const inbox = createInbox()
  const listeners = createListeners<unknown>()
  const state = createStore<ChannelState>({ status: 'idle', error: null, pending: 0 })
  const receipts = createBatch(sendReceipts, { intervalMs: 200, clock: options.clock })
  let limits = { win: 256, max: 1024 * 1024 }
  const socket = createReconnectingSocket({ ...options, hello: inbox.hello, onReady, onFrame, onStatus })

  return { state, send, onMessage: listeners.add, close: () => socket.close() }

  function send(message: unknown): boolean {
    const { json, bytes } = encode(message, limits.max)
    if (isEnd(state.get().status)) return false
    const isTaken = outbox.add(json, bytes)
    if (isTaken) pump()
    else state.patch({ error: new ApiError('QUEUE_FULL', `${outbox.size} messages wait for the server already`) })
    return isTaken
  }

  function onStatus(status: SocketStatus, error?: ApiError): void {
    if (status !== 'open') receipts.cancel()
    state.patch(status === 'open' ? { status, error: null } : { status, ...(error && { error }) })
  }

  function onReady(welcome: WelcomeFrame): void {
    limits = welcome
    inbox.welcome(welcome)
    if (welcome.res) outbox.acknowledge(welcome.ack)
    outbox.restart({ isNew: !welcome.res })
    pump()
  }

  function onFrame(frame: ServerFrame): void {
    if (frame.o === 'm') return receive(frame)
    if (frame.o === 'a') outbox.acknowledge(frame.i)
    if (frame.o === 'e') {
      outbox.settle(frame.i)
      state.patch({ error: fromLateEnvelope(frame) })
    }
    pump()
  }

  function receive(frame: MessageFrame): void {
    if (!inbox.take(frame)) return
    receipts.touch()
    listeners.tell(frame.d)
  }

  function sendReceipts(): void {
    for (const frame of inbox.receipts()) socket.send(encodeFrame(frame))
  }

  function pump(): void {
    if (state.get().status === 'open')
      for (let text = outbox.next(limits.win); text !== null; text = outbox.next(limits.win)) socket.send(text)
    const isFree = state.get().error?.code === 'QUEUE_FULL'
    state.patch({ pending: outbox.size, ...(isFree && { error: null }) })
  }
}

/** A message as JSON text; what has none is a `TypeError`. */
export function toJson(message: unknown): string {
  const json = JSON.stringify(message) as string | undefined
  if (json === undefined) throw new TypeError(`a message must be JSON, got ${typeof message}`)
  return json
}

function encode(message: unknown, max: number): { json: string; bytes: number } {
  const json = toJson(message)
  const bytes = new TextEncoder().encode(json).length
  // The server would hang up on it, after every reconnect anew. Some bytes are for the frame around it.
  if (bytes + 64 > max) throw new ApiError('CONTENT_TOO_LARGE', `a message has at most ${max} bytes, got ${bytes}`)
  return { json, bytes }
}
