import {
  ApiError,
  CLOSE,
  decodeClientFrame,
  encodeFrame,
  invalidRequest,
  toEnvelope,
  validate,
  type ClientFrame,
  type ServerFrame,
} from '@sdk/protocol'
import type { RequestAuth } from './auth-seat.ts'
import { toApiError } from './error-response.ts'
import { errorFields, type Log } from './log.ts'
import type { Member, Rooms } from './rooms.ts'
import type { AnySocketDefinition } from './socket.ts'

/** One connected client, as a socket's handlers see it. */
export interface Peer<Out = unknown> {
  readonly id: string
  /** Who is connected; null when nobody is signed in. */
  readonly auth: RequestAuth | null
  /** Yours, for as long as the connection lives. */
  data: unknown
  /** Sends a message to this client. */
  send(message: Out): void
  /** From now on this client hears the room. */
  join(room: string): Promise<void>
  leave(room: string): void
  /** Sends a message to everyone in a room. */
  publish(room: string, message: Out): Promise<void>
  /** Ends the connection for good; the client does not come back by itself. */
  close(reason?: string): void
}

/** The bare connection below a peer. */
export interface Wire {
  send(text: string): void
  close(code: number, reason: string): void
}

/** What a connection is made of. */
export interface ConnectionParts {
  readonly socket: AnySocketDefinition
  readonly wire: Wire
  readonly rooms: Rooms
  readonly auth: RequestAuth | null
  readonly isSdk: boolean
  readonly log: Log
}

/** A connection, as the door that carries it sees it. */
export interface Connection {
  /** A text frame came. */
  receive(text: string): void
  /** The wire is gone; settles when the close handler has run. */
  ended(): Promise<void>
}

/** How long a client of our protocol may take to say `hi`. */
export const HELLO_TIMEOUT_MS = 5_000

/** Speaks `sdk.v1` or raw JSON with one client, and runs the socket's handlers in order. */
export function createConnection(parts: ConnectionParts): Connection {
  const { socket, wire, rooms, isSdk, log } = parts
  const member: Member = { isSdk, deliver: (text) => wire.send(text) }
  const joined = new Set<string>()
  let sent = 0
  let isOpen = !isSdk
  let work: Promise<unknown> = Promise.resolve()

  const peer: Peer = {
    id: crypto.randomUUID(),
    auth: parts.auth,
    data: undefined,
    send: (message) => (isSdk ? tell({ o: 'm', i: ++sent, d: message }) : wire.send(JSON.stringify(message))),
    async join(room) {
      joined.add(room)
      await rooms.join(room, member)
    },
    leave(room) {
      joined.delete(room)
      rooms.leave(room, member)
    },
    publish: (room, message) => rooms.publish(room, message),
    close: (reason = '') => wire.close(CLOSE.finished, reason),
  }

  const hello = isSdk ? setTimeout(() => wire.close(CLOSE.timeout, 'no hi'), HELLO_TIMEOUT_MS) : undefined
  if (isOpen) inOrder(open)

  return {
    receive: (text) => (isSdk ? receiveFrame(decodeClientFrame(text)) : inOrder(() => handleRaw(text))),
    async ended() {
      clearTimeout(hello)
      for (const room of joined) rooms.leave(room, member)
      await inOrder(() => socket.close?.(peer as Peer<never>))
    },
  }

  function tell(frame: ServerFrame): void {
    wire.send(encodeFrame(frame))
  }

  function inOrder(task: () => unknown): Promise<unknown> {
    work = work.then(task).catch((error: unknown) => log.error('a socket handler failed', errorFields(error)))
    return work
  }

  async function open(): Promise<void> {
    try {
      await socket.open?.(peer as Peer<never>)
    } catch (error) {
      log.error('a socket could not be set up', errorFields(error))
      wire.close(CLOSE.setupFailed, 'setup failed')
    }
  }

  function receiveFrame(frame: ClientFrame | null): void {
    if (frame === null || isOpen === (frame.o === 'hi')) return wire.close(CLOSE.badProtocol, 'bad frame')
    if (frame.o === 'hi') welcome()
    if (frame.o === 'p') tell({ o: 'q' })
    if (frame.o === 'm') void inOrder(() => handleFrame(frame.i, frame.d))
  }

  function welcome(): void {
    clearTimeout(hello)
    isOpen = true
    tell({ o: 'ok', sid: peer.id, res: false, ack: 0, hb: 20_000, win: 256, max: 1_048_576, spread: 2_000 })
    void inOrder(open)
  }

  async function handleFrame(i: number, message: unknown): Promise<void> {
    const error = await handle(message)
    tell(error === null ? { o: 'a', i } : { o: 'e', i, error: toEnvelope(error).error })
  }

  async function handleRaw(text: string): Promise<void> {
    const error = await handle(parse(text))
    if (error !== null) wire.send(JSON.stringify(toEnvelope(error)))
  }

  /** Runs the handler; what goes wrong is the error for the sender, never the end of the connection. */
  async function handle(message: unknown): Promise<ApiError | null> {
    try {
      if (message instanceof ApiError) throw message
      const checked =
        socket.receive === undefined ? { ok: true as const, value: message } : await validate(socket.receive, message)
      if (!checked.ok) throw invalidRequest(checked.details)
      await socket.message?.(peer as Peer<never>, checked.value as never)
      return null
    } catch (thrown) {
      return toApiError(thrown, () => log)
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return new ApiError('INVALID_REQUEST', 'a message is JSON', { cause })
  }
}
