import { SUBPROTOCOL } from './socket.ts'

const TOKEN_PREFIX = 'sdk.token.'

/** "/" and "=" are no part of a subprotocol's name: new WebSocket() throws on them. */
const SUBPROTOCOL_TOKEN = /^[\w.~+-]+$/

const BEARER_TOKEN = /^[\w.~+/-]+=*$/

/** The value of the `Authorization` header that carries a token. */
export function toAuthorization(token: string): string {
  if (!BEARER_TOKEN.test(token)) throw new TypeError(`a token must match ${BEARER_TOKEN}`)
  return `Bearer ${token}`
}

/** The token in an `Authorization` header; null where there is none or it is of another scheme. */
export function fromAuthorization(header: string | null | undefined): string | null {
  return /^\s*Bearer +([\w.~+/-]+=*)\s*$/i.exec(header ?? '')?.[1] ?? null
}

/** The subprotocols a client offers: ours, and the token as a second one, since browsers let sockets send no header. */
export function toSubprotocols(token: string | null): string[] {
  if (token === null) return [SUBPROTOCOL]
  if (!SUBPROTOCOL_TOKEN.test(token)) throw new TypeError(`a token must match ${SUBPROTOCOL_TOKEN}`)
  return [SUBPROTOCOL, TOKEN_PREFIX + token]
}

/** What a `Sec-WebSocket-Protocol` header offers: our protocol, or none (a raw client), and the token. */
export function fromSubprotocols(header: string | null | undefined): { isSdk: boolean; token: string | null } {
  const offered = (header ?? '').split(',').map((name) => name.trim())
  const token = offered.find((name) => name.startsWith(TOKEN_PREFIX))?.slice(TOKEN_PREFIX.length) ?? ''
  return { isSdk: offered.includes(SUBPROTOCOL), token: SUBPROTOCOL_TOKEN.test(token) ? token : null }
}
