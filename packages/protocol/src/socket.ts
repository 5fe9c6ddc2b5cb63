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

/** What the server sends, one object a frame. */
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
  | { o: 'gap'; s: string; from: number; to: number }
  | { o: 'bye'; after: number; why: string }
  | { o: 'p' }
  | { o: 'q' }

/** A frame as text. */
export function encodeFrame(frame: ClientFrame | ServerFrame): string {
  return JSON.stringify(frame)
}

/** A client's frame, checked; null where the text is none. */
export function decodeClientFrame(text: string): ClientFrame | null {
  const frame = parseObject(text)
  return frame !== null && isClientFrame(frame) ? frame : null
}

/** A server's frame, checked; null where the text is none. Members it does not know are kept, as a newer server may send them. */
export function decodeServerFrame(text: string): ServerFrame | null {
  const frame = parseObject(text)
  return frame !== null && isServerFrame(frame) ? frame : null
}

type Fields = Record<string, unknown>

function isClientFrame(frame: Fields): frame is Fields & ClientFrame {
  switch (frame['o']) {
    case 'hi':
      return (
        frame['v'] === 1 &&
        (frame['sid'] === null || isText(frame['sid'])) &&
        isCount(frame['rx']) &&
        isPositions(frame['pos'])
      )
    case 'm':
      return isNumber(frame['i'], 1) && 'd' in frame && (frame['r'] === undefined || frame['r'] === 1)
    case 'a':
      return isCount(frame['i']) && isOptionalText(frame['s'])
    case 'p':
    case 'q':
      return true
    default:
      return false
  }
}

function isServerFrame(frame: Fields): frame is Fields & ServerFrame {
  switch (frame['o']) {
    case 'ok':
      return (
        isText(frame['sid']) &&
        typeof frame['res'] === 'boolean' &&
        ['ack', 'hb', 'win', 'max', 'spread'].every((name) => isCount(frame[name])) &&
        (frame['exp'] === undefined || isCount(frame['exp']))
      )
    case 'm':
      return isNumber(frame['i'], 1) && 'd' in frame && isOptionalText(frame['s']) && isOptionalText(frame['e'])
    case 'a':
      return isCount(frame['i'])
    case 'e':
      return isCount(frame['i']) && isEnvelope({ error: frame['error'] })
    case 'gap':
      return isText(frame['s']) && isCount(frame['from']) && isCount(frame['to'])
    case 'bye':
      return isCount(frame['after']) && isText(frame['why'])
    case 'p':
    case 'q':
      return true
    default:
      return false
  }
}

function parseObject(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null // not JSON, so not a frame
  }
}

function isPositions(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every(
      (entry) => Array.isArray(entry) && entry.length === 2 && isText(entry[0]) && isCount(entry[1]),
    )
  )
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNumber(value: unknown, from: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= from
}

function isCount(value: unknown): boolean {
  return isNumber(value, 0)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || isText(value)
}
