import { SUBPROTOCOL } from './socket.ts'

const TOKEN_PREFIX = 'sdk.token.'

/** The format of a token in a subprotocol. The `WebSocket` constructor throws if a subprotocol contains "/" or "=". */
const SUBPROTOCOL_TOKEN = /^[\w.~+-]+$/

const BEARER_TOKEN = /^[\w.~+/-]+=*$/

/** Returns the value of the `Authorization` header for a token. */
export function toAuthorization(token: string): string {
  if (!BEARER_TOKEN.test(token)) throw new TypeError(`a token must match ${BEARER_TOKEN}`)
  return `Bearer ${token}`
}

/** Returns the token from an `Authorization` header, or null if the header is missing or uses a different scheme. */
export function fromAuthorization(header: string | null | undefined): string | null {
  return /^\s*Bearer +([\w.~+/-]+=*)\s*$/i.exec(header ?? '')?.[1] ?? null
}

/**
 * Returns the subprotocols that a client offers: `sdk.v1`, and a second one that contains the token, since browsers
 * cannot set the headers of a WebSocket request.
 */
export function toSubprotocols(token: string | null): string[] {
  if (token === null) return [SUBPROTOCOL]
  if (!SUBPROTOCOL_TOKEN.test(token)) throw new TypeError(`a token must match ${SUBPROTOCOL_TOKEN}`)
  return [SUBPROTOCOL, TOKEN_PREFIX + token]
}

/** Parses a `Sec-WebSocket-Protocol` header. `isSdk` is false for raw clients, which do not offer `sdk.v1`. */
export function fromSubprotocols(header: string | null | undefined): { isSdk: boolean; token: string | null } {
  const offered = (header ?? '').split(',').map((name) => name.trim())
  const token = offered.find((name) => name.startsWith(TOKEN_PREFIX))?.slice(TOKEN_PREFIX.length) ?? ''
  return { isSdk: offered.includes(SUBPROTOCOL), token: SUBPROTOCOL_TOKEN.test(token) ? token : null }
}
