import { isObjectLike, type ErrorEnvelope } from './envelope.ts'

/** The subprotocol of the client; without it a socket is raw: one JSON message per frame. */
export const SUBPROTOCOL = 'sdk.v1'

/** The states of a connection, numbered as in `WebSocket`. */
export const READY_STATE = { connecting: 0, open: 1, closing: 2, closed: 3 } as const

/** A connection's state as a number: 0 connecting, 1 open, 2 closing, 3 closed. */
export type ReadyState = (typeof READY_STATE)[keyof typeof READY_STATE]

/** The reasons for closing a socket. */
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

/** The reaction of a client to a close. */
export type AfterClose = 'finish' | 'stop' | 'refresh' | 'retry-later' | 'retry'

/** Returns the reaction of a client to a close code. 4000 and 44xx end the connection permanently, with exceptions; all others retry. */
export function afterClose(code: number): AfterClose {
  // Written as numbers: with `CLOSE`, every browser bundle would contain the whole table.
  if (code === 4000) return 'finish'
  if (code === 4401) return 'refresh'
  if (code === 4408 || code === 4413 || code === 4429) return 'retry-later'
  return code >= 4400 && code < 4500 ? 'stop' : 'retry'
}

/** A position in a room's stream: the epoch it belongs to, and the last offset seen. */
export type Position = readonly [epoch: string, offset: number]

/** A frame of a client. Members have short names, since every message repeats them. */
export type ClientFrame =
  /** The first frame: the session to resume, the last number received in it, and the position in each room. */
  | { o: 'hi'; v: 1; sid: string | null; rx: number; pos: Record<string, Position> }
  /** A message and its number; `r` if it was sent before. */
  | { o: 'm'; i: number; d: unknown; r?: 1 }
  /** An acknowledgement of all messages up to this number, of the session or of a room. */
  | { o: 'a'; i: number; s?: string }
  /** A ping. */
  | { o: 'p' }
  /** A pong. */
  | { o: 'q' }

/** A frame of the server. `s` names a room; without it, the frame belongs to the session itself. */
export type ServerFrame =
  /** The reply to `hi`: the session, whether it was resumed, and the number of the client's last handled message. */
  | {
      o: 'ok'
      sid: string
      res: boolean
      ack: number
      /** The maximum interval between frames of the server, in ms. */
      hb: number
      /** The maximum number of unacknowledged messages. */
      win: number
      /** The maximum size of a message, in bytes. */
      max: number
      /** The time in ms over which clients that lost their connection together spread their reconnects. */
      spread: number
      /** The time at which the user's session expires, in ms since 1970. */
      exp?: number
    }
  /** A message and its number; in a room, with the epoch that the number belongs to. */
  | { o: 'm'; i: number; d: unknown; s?: string; e?: string }
  /** An acknowledgement: all messages from the client up to this number were handled. */
  | { o: 'a'; i: number }
  /** The error of a message, by its number; 0 if it is the reason for which the socket is closed. */
  | { o: 'e'; i: number; error: ErrorEnvelope['error']; status?: number }
  /** The position in a room that the client has just joined, or in which it has just missed messages. */
  | { o: 'at'; s: string; e: string; i: number }
  /** The client has left this room. */
  | { o: 'left'; s: string }
  /** The messages after `from` up to `to` are lost. */
  | { o: 'gap'; s?: string; from: number; to: number }
  /** The server shuts down: connect again after this number of ms. */
  | { o: 'bye'; after: number; why: string }
  /** A ping. */
  | { o: 'p' }
  /** A pong. */
  | { o: 'q' }

/** Encodes a frame; throws a `TypeError` if JSON cannot represent its message. */
export function encodeFrame(frame: ClientFrame | ServerFrame): string {
  if (frame.o === 'm' && ['undefined', 'function', 'symbol'].includes(typeof frame.d))
    throw new TypeError(`a message must be a JSON value, got ${typeof frame.d}`)
  return JSON.stringify(frame)
}

/** Decodes and checks a client's frame, or returns null. Unknown members are kept. */
export function decodeClientFrame(text: string): ClientFrame | null {
  const frame = parseObject(text)
  return frame !== null && isClientFrame(frame) ? (frame as ClientFrame) : null
}

/** Decodes a server's frame, or returns null. Only the kind is checked: clients trust their server, and bundles stay small. */
export function decodeServerFrame(text: string): ServerFrame | null {
  try {
    const frame = JSON.parse(text) as ServerFrame | null
    return typeof frame?.o === 'string' ? frame : null
  } catch {
    return null // not JSON, so not a frame
  }
}

/** Returns whether a frame is valid. Checks the most frequent kind first: a server calls this for every frame. */
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
