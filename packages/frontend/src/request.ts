import { toBody } from './body.ts'
import type { RequestOptions } from './call.ts'
import type { ReplyOptions } from './response.ts'
import type { RetryPolicy } from './retries.ts'

/** A request, with what to do about its answer. */
export interface PreparedRequest extends RetryPolicy, ReplyOptions {
  path: string
  init: RequestInit
  /** A stream can only be sent once. */
  isStream: boolean
}

/** Prepares a request, so that it can be sent more than once. */
export function toRequest(route: string, input: unknown, options: RequestOptions): PreparedRequest {
  const { signal = null, delimiter, credentials = 'same-origin', retry = 3 } = options
  // The server knows whether there is such a route; here it is only taken apart.
  const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(route) ?? []
  if (method === undefined || path === undefined) throw new TypeError(`a route is "METHOD /path", got "${route}"`)
  const { body = null, contentType } = toBody(input)
  const isStream = body instanceof ReadableStream
  const headers = new Headers(options.headers)
  if (contentType !== undefined && !headers.has('content-type')) headers.set('content-type', contentType)
  // TypeScript does not know `duplex`, without which no stream can be sent.
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, credentials, signal, duplex: 'half' }
  return { path, method, headers, init, isStream, retry: isStream ? 0 : Number(retry), signal, delimiter }
}
