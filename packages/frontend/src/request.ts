import { parseRoute } from '@sdk/protocol'
import { toBody } from './body.ts'
import type { RequestOptions } from './call.ts'
import type { ReplyOptions } from './response.ts'
import type { RetryPolicy } from './retries.ts'

/** A request, with what to do about its answer. */
export interface PreparedRequest extends RetryPolicy, ReplyOptions {
  path: string
  headers: Headers
  init: RequestInit
  /** A stream can only be sent once. */
  isStream: boolean
}

/** Prepares a request, so that it can be sent more than once. */
export function toRequest(route: string, input: unknown, options: RequestOptions): PreparedRequest {
  const { signal, delimiter, credentials = 'same-origin', retry = 3 } = options
  const { methods, path } = parseRoute(route)
  const method = methods[0] ?? 'GET'
  const { body = null, contentType } = toBody(input)
  const isStream = body instanceof ReadableStream
  const headers = new Headers(options.headers)
  if (contentType !== undefined && !headers.has('content-type')) headers.set('content-type', contentType)
  const init: RequestInit = { method, headers, body, credentials, signal: signal ?? null }
  // TypeScript does not know it, but a stream cannot do without.
  if (isStream) Object.assign(init, { duplex: 'half' })
  const hasKey = headers.has('idempotency-key')
  return { path, method, headers, init, isStream, hasKey, retry: isStream ? 0 : Number(retry), signal, delimiter }
}
