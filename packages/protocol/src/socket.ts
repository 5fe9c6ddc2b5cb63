import { isObjectLike, type ErrorEnvelope } from './envelope.ts'

/**
 * The subprotocol of the SDK's client. A client that does not offer it is a raw client: each frame is one JSON message.
 */
export const SUBPROTOCOL = 'sdk.v1'

/** The states of a connection, numbered as in `WebSocket`. */
export const READY_STATE = { connecting: 0, open: 1, closing: 2, closed: 3 } as const

/** A connection's state as a number: 0 is connecting, 1 is open, 2 is closing, and 3 is closed. */
export type ReadyState = (typeof READY_STATE)[keyof typeof READY_STATE]

/** The close codes of sockets. */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  restart: 1012,
  unavailable: 1013,
  finished: 4000,
  badProtocol: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  notFound: 4404,
  timeout: 4408,
  replaced: 4409,
  tooLarge: 4413,
  tooMany: 4429,
  setupFailed: 4500,
  slowConsumer: 4508,
} as const

/** A client's reaction when its socket is closed. */
export type AfterClose = 'finish' | 'stop' | 'refresh' | 'retry-later' | 'retry'

/**
 * Returns a client's reaction to a close code. 4000 and most 44xx codes end the connection permanently; after all other
 * codes, the client reconnects.
 */
export function afterClose(code: number): AfterClose {
  // The codes are literals because a reference to `CLOSE` would add the entire table to every browser bundle.
  if (code === 4000) return 'finish'
  if (code === 4401) return 'refresh'
  if (code === 4408 || code === 4413 || code === 4429) return 'retry-later'
  return code >= 4400 && code < 4500 ? 'stop' : 'retry'
}

/** A position in a room's stream: the epoch it belongs to, and the last offset seen. */
export type Position = readonly [epoch: string, offset: number]

/** A frame from a client. Members have short names, since every message repeats them. */
export type ClientFrame =
  /** The first frame: the session to resume, the number of its last received message, and the position in each room. */
  | { o: 'hi'; v: 1; sid: string | null; rx: number; pos: Record<string, Position> }
  /** A message and its number. `r` is set if the message has been sent before. */
  | { o: 'm'; i: number; d: unknown; r?: 1 }
  /** An acknowledgement of all messages up to this number, in the session or in the room `s`. */
  | { o: 'a'; i: number; s?: string }
  /** A ping. */
  | { o: 'p' }
  /** A pong. */
  | { o: 'q' }

/** A frame from the server. `s` is the name of a room; without it, the frame belongs to the session itself. */
export type ServerFrame =
  /** The reply to `hi`: the session, whether it was resumed, and the number of the client's last handled message. */
  | {
      o: 'ok'
      sid: string
      res: boolean
      ack: number
      /** The maximum interval between frames from the server, in ms. */
      hb: number
      /** The maximum number of unacknowledged messages. */
      win: number
      /** The maximum size of a message, in bytes. */
      max: number
      /** The period in ms over which clients spread their reconnects if they lost their connections simultaneously. */
      spread: number
      /** The time at which the user's session expires, in ms since the Unix epoch. */
      exp?: number
    }
  /**
   * A message with its number. In a room, `e` is the epoch that the number belongs to. A message of the session with the
   * number 0 is neither acknowledged nor sent again.
   */
  | { o: 'm'; i: number; d: unknown; s?: string; e?: string }
  /** An acknowledgement: all messages from the client up to this number were handled. */
  | { o: 'a'; i: number }
  /** The error for the message with this number. With the number 0, it is the reason for closing the socket. */
  | { o: 'e'; i: number; error: ErrorEnvelope['error']; status?: number }
  /** The position in a room that the client has just joined, or in which it has just missed messages. */
  | { o: 'at'; s: string; e: string; i: number }
  /** The client has left this room. */
  | { o: 'left'; s: string }
  /** The messages after `from`, up to and including `to`, are lost. */
  | { o: 'gap'; s?: string; from: number; to: number }
  /** The server is shutting down. The client should reconnect after this number of ms. */
  | { o: 'bye'; after: number; why: string }
  /** A ping. */
  | { o: 'p' }
  /** A pong. */
  | { o: 'q' }

/** Encodes a frame; throws a `TypeError` if JSON cannot represent its message. */
export function encodeFrame(frame: ClientFrame | ServerFrame): string {
  if (frame.o === 'm' && ['undefined', 'function', 'symbol'].includes(typeof frame.d))
    throw new TypeError(`a message must be JSON, got ${typeof frame.d}`)
  return JSON.stringify(frame)
}

/** Decodes a client's frame, or returns null if it is invalid. Unknown members are kept. */
export function decodeClientFrame(text: string): ClientFrame | null {
  const frame = parseObject(text)
  return frame !== null && isClientFrame(frame) ? (frame as ClientFrame) : null
}

/**
 * Decodes a server's frame, or returns null if it is invalid. Only the kind is checked, because clients trust their
 * server and bundles should be small.
 */
export function decodeServerFrame(text: string): ServerFrame | null {
  try {
    const frame = JSON.parse(text) as ServerFrame | null
    return typeof frame?.o === 'string' ? frame : null
  } catch {
    return null // not JSON, so not a frame
  }
}

/**
 * Returns whether a frame is valid. The most frequent kind is checked first, since a server calls this for every frame.
 */
function isClientFrame(frame: Record<string, unknown>): boolean {
  const { o: kind, i } = frame
  if (kind === 'm')
    return isCount(i) && i !== 0 && frame['d'] !== undefined && (frame['r'] === undefined || frame['r'] === 1)
  if (kind === 'a') return isCount(i) && (frame['s'] === undefined || isNonEmptyString(frame['s']))
  if (kind === 'hi')
    return (
      frame['v'] === 1 &&
      (frame['sid'] === null || isNonEmptyString(frame['sid'])) &&
      isCount(frame['rx']) &&
      isJsonObject(frame['pos']) &&
      Object.values(frame['pos']).every(isPosition)
    )
  return kind === 'p' || kind === 'q'
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null // not JSON, so not a frame
  }
}

function isPosition(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && isNonEmptyString(value[0]) && isCount(value[1])
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return isObjectLike(value) && !Array.isArray(value)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isNonEmptyString(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
