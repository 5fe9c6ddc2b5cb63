import { afterClose } from '@sdk/protocol'

const MEANINGS: Readonly<Record<number, string>> = {
  1000: 'closed normally',
  1001: 'going away: the server is stopping, or the page was closed',
  1002: 'WebSocket protocol error',
  1003: 'unsupported data',
  1005: 'closed without a code',
  1006: 'lost without a close frame: the network failed, or a process was killed',
  1007: 'text is not valid UTF-8',
  1008: 'policy violation',
  1009: 'frame too large',
  1011: 'internal server error',
  1012: 'the server is restarting',
  1013: 'the server is busy',
  1015: 'TLS handshake failed',
  4000: 'closed by the app',
  4400: 'a frame violated the protocol',
  4401: 'the token is missing or no longer valid',
  4403: 'forbidden for this user or origin',
  4404: 'socket not found',
  4408: 'no hello frame received in time',
  4409: 'replaced by a newer connection for the same session',
  4413: 'message too large',
  4429: 'too many messages or connections',
  4500: 'the open handler threw an error',
  4508: 'the client reads too slowly',
}

const NEXT = {
  finish: 'the client is done and does not reconnect',
  stop: 'the client does not reconnect',
  refresh: 'the client reconnects once with a new token',
  'retry-later': 'the client reconnects after 5 s or more',
  retry: 'the client reconnects',
} as const

/** Returns the meaning of a close code, and how the SDK's client reacts to it. */
export function explainClose(code: number): { meaning: string; next: string } {
  return {
    meaning: MEANINGS[code] ?? (code >= 4000 ? 'a custom code defined by the app' : 'unknown'),
    next: NEXT[afterClose(code)],
  }
}
