import { RUN_THREAD_HEADER } from '@sdk/protocol'
import type { ExchangeOptions } from './call.ts'

/** A request that can be sent more than once, unless its body is a stream. */
export interface PreparedRequest {
  path: string
  method: string
  headers: Headers
  body: BodyInit | null
}

export function toRequest(
  route: string,
  { input, headers: init, thread }: Pick<ExchangeOptions, 'input' | 'headers' | 'thread'>,
): PreparedRequest {
  // Only splits the string: the server checks whether the route exists.
  const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(route) ?? []
  if (!method || !path) throw new TypeError(`a route must be "METHOD /path", got "${route}"`)
  const headers = new Headers(init)
  const [body, type] = toRequestBody(input)
  if (type && !headers.has('content-type')) headers.set('content-type', type)
  // A durable agent that takes longer responds with the id of its run, which can then be followed and cancelled.
  // A preference of the caller comes first, so it has precedence.
  if (route.startsWith('POST /agent/')) headers.append('prefer', 'wait=2')
  if (thread !== undefined) {
    headers.set(RUN_THREAD_HEADER, thread)
    // The key prevents a repeated request from starting a second run. It is not a UUID, since `crypto.randomUUID` is
    // available only in secure contexts.
    if (!headers.has('idempotency-key'))
      headers.set('idempotency-key', crypto.getRandomValues(new Uint32Array(4)).join('-'))
  }
  return { path, method, headers, body }
}

/**
 * Converts a payload to a body, and returns its content type if the platform does not set one. Forms, blobs, bytes and
 * byte streams are sent unchanged, undefined means no body, and all other values become JSON.
 */
function toRequestBody(input: unknown): [body: BodyInit | null, type?: string] {
  if (input === undefined) return [null]
  if (input instanceof FormData || input instanceof Blob || input instanceof URLSearchParams) return [input]
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input) || input instanceof ReadableStream)
    return [input as BodyInit, 'application/octet-stream']
  const json = JSON.stringify(input)
  if (json === undefined)
    throw new TypeError(`a payload must be JSON data, a form, a blob or bytes, got ${typeof input}`)
  return [json, 'application/json']
}
