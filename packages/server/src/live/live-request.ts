import { fillPath, type LiveRequest, type LiveSubscribe } from '@sdk/protocol'
import type { RequestAuth } from '../auth/identity.ts'
import { httpError } from '../http/http-error.ts'
import type { ServerRequest } from '../http/server-request.ts'

/** The maximum number of subscriptions per connection. */
export const MAX_SUBSCRIPTIONS = 50

/** Parses a message from a client. Throws 400 if it is invalid. */
export function parseLiveRequest(message: unknown): LiveRequest {
  const { sub, route, params = {}, query = {}, has, sync, end } = isRecord(message) ? message : {}
  if (isNumber(end)) return { end }
  if (Array.isArray(sync) && sync.length <= MAX_SUBSCRIPTIONS && sync.every(isNumber)) return { sync }
  const isText = typeof route === 'string' && /^GET \/[^?#]*$/.test(route)
  if (!isNumber(sub) || !isText || !isRecord(params) || !isRecord(query) || (has !== undefined && !isTag(has)))
    throw httpError('INVALID_REQUEST', 'a message must be { sub, route, params, query, has }, { sync } or { end }')
  return { sub, route, params: params as Record<string, string>, query, ...(has !== undefined && { has }) }
}

/** Returns the target of the `GET` request that a client subscribes to. Throws 400 if it is invalid. */
export function toTarget({ route, params, query }: LiveSubscribe): string {
  try {
    const path = fillPath(route.slice('GET '.length), params)
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined && value !== null)
        search.set(name, Array.isArray(value) ? value.join() : toParameterText(value))
    }
    return search.size === 0 ? path : `${path}?${search.toString()}`
  } catch (cause) {
    throw httpError('INVALID_REQUEST', cause instanceof Error ? cause.message : 'the request is invalid', { cause })
  }
}

/** Creates the `GET` request of a subscription. It has the headers of the handshake that opened the connection. */
export function toGetRequest(handshake: ServerRequest, target: string, auth: RequestAuth | null): ServerRequest {
  let request: Request | undefined
  return {
    method: 'GET',
    target,
    ip: handshake.ip,
    isSecure: handshake.isSecure,
    rawHeaders: handshake.rawHeaders,
    header: (name) => (HANDSHAKE_ONLY.test(name) ? null : handshake.header(name)),
    text: () => '',
    get signal() {
      return handshake.signal
    },
    get request() {
      const { url, headers } = handshake.request
      return (request ??= new Request(new URL(target, url), { headers }))
    },
    ...(auth !== null && { auth }),
  }
}

/** The headers that apply only to the handshake. */
const HANDSHAKE_ONLY = /^(?:accept|connection|upgrade|if-.*|content-.*|sec-websocket-.*)$/

function toParameterText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`a query can only contain strings, numbers, booleans and arrays, got ${typeof value}`)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function isTag(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 64
}
