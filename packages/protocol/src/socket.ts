import { isEnvelope, type ErrorEnvelope } from './errors.ts'

/** The subprotocol our client offers; without it a socket is raw: one JSON message a frame. */
export const SUBPROTOCOL = 'sdk.v1'

/** The states of a connection, numbered as in `WebSocket`. */
export const READY_STATE = { connecting: 0, open: 1, closing: 2, closed: 3 } as const

/** A connection's state as a number: 0 connecting, 1 open, 2 closing, 3 closed. */
export type ReadyState = (typeof READY_STATE)[keyof typeof READY_STATE]

/** Why a socket was closed. */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  restart: 1012,
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

/** What a client does after a close. */
export type AfterClose = 'stop' | 'refresh' | 'retry-later' | 'retry'

/** 4000 and 44xx end the connection for good, all else retries; some codes have a way of their own. */
export function afterClose(code: number): AfterClose {
  if (code === CLOSE.unauthorized) return 'refresh'
  if (code === CLOSE.timeout || code === CLOSE.tooLarge || code === CLOSE.tooMany) return 'retry-later'
  if (code === CLOSE.finished || (code >= 4400 && code < 4500)) return 'stop'
  return 'retry'
}

/** A position in a room's stream: the epoch it belongs to, and the last offset seen. */
export type Position = readonly [epoch: string, offset: number]

/** What a client sends, one object a frame. */
export type ClientFrame =
  | { o: 'hi'; v: 1; sid: string | null; rx: number; pos: Record<string, Position> }
  | { o: 'm'; i: number; d: unknown; r?: 1 }
  | { o: 'a'; i: number; s?: string }
  | { o: 'p' }
  | { o: 'q' }

/** What the server sends, one object a frame. `s` names a room; without it, it is the session's own stream. */
export type ServerFrame =
  | {
      o: 'ok'
      sid: string
      res: boolean
      ack: number
      hb: number
      win: number
      max: number
      spread: number
      exp?: number
    }
  | { o: 'm'; i: number; d: unknown; s?: string; e?: string }
  | { o: 'a'; i: number }
  | { o: 'e'; i: number; error: ErrorEnvelope['error'] }
  /** Your place in a room that you have just entered, or in which you have just missed something. */
  | { o: 'at'; s: string; e: string; i: number }
  /** You hear this room no longer. */
  | { o: 'left'; s: string }
  | { o: 'gap'; s?: string; from: number; to: number }
  | { o: 'bye'; after: number; why: string }
  | { o: 'p' }
  | { o: 'q' }

/** A frame as text. A message that JSON cannot carry is a `TypeError` here, where its sender stands. */
export function encodeFrame(frame: ClientFrame | ServerFrame): string {
  if (frame.o === 'm' && ['undefined', 'function', 'symbol'].includes(typeof frame.d))
    throw new TypeError(`a message is a JSON value, got ${typeof frame.d}`)
  return JSON.stringify(frame)
}

/** A client's frame, checked; null where the text is none. Members it does not know are kept. */
export function decodeClientFrame(text: string): ClientFrame | null {
  return decode(text, CLIENT_FRAMES) as ClientFrame | null
}

/** A server's frame, checked; null where the text is none. Members it does not know are kept. */
export function decodeServerFrame(text: string): ServerFrame | null {
  return decode(text, SERVER_FRAMES) as ServerFrame | null
}

type Check = (value: unknown) => boolean

/** A check for every member of every frame. */
type Checks<Frame extends { o: string }> = {
  readonly [F in Frame as F['o']]: { readonly [Name in keyof Omit<F, 'o'>]-?: Check }
}

const CLIENT_FRAMES: Checks<ClientFrame> = {
  hi: { v: isOne, sid: (value) => value === null || isText(value), rx: isCount, pos: isPositions },
  m: { i: isOrdinal, d: isPresent, r: (value) => value === undefined || isOne(value) },
  a: { i: isCount, s: isOptionalText },
  p: {},
  q: {},
}

const SERVER_FRAMES: Checks<ServerFrame> = {
  ok: {
    sid: isText,
    res: (value) => typeof value === 'boolean',
    ack: isCount,
    hb: isCount,
    win: isCount,
    max: isCount,
    spread: isCount,
    exp: (value) => value === undefined || isCount(value),
  },
  m: { i: isOrdinal, d: isPresent, s: isOptionalText, e: isOptionalText },
  a: { i: isCount },
  e: { i: isCount, error: (error) => isEnvelope({ error }) },
  at: { s: isText, e: isText, i: isCount },
  left: { s: isText },
  gap: { s: isOptionalText, from: isCount, to: isCount },
  bye: { after: isCount, why: isText },
  p: {},
  q: {},
}

function decode(text: string, frames: Record<string, Record<string, Check>>): Record<string, unknown> | null {
  const frame = parseObject(text)
  const kind = frame?.['o']
  if (frame === null || typeof kind !== 'string' || !Object.hasOwn(frames, kind)) return null
  return Object.entries(frames[kind] ?? {}).every(([name, check]) => check(frame[name])) ? frame : null
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null // not JSON, so not a frame
  }
}

function isPositions(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isPosition)
}

function isPosition(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && isText(value[0]) && isCount(value[1])
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isOrdinal(value: unknown): boolean {
  return isCount(value) && value !== 0
}

function isOne(value: unknown): boolean {
  return value === 1
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || isText(value)
}

function isPresent(value: unknown): boolean {
  return value !== undefined
}
