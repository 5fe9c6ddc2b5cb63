import { framingOf, fromEnvelope, fromRetryAfter, parseResponseJson } from '@sdk/protocol'
import { readStream, type ReadStreamOptions, type StreamReply } from './stream-reply.ts'

/** A route's response: a single value or a stream of chunks, with its headers. */
export type Reply = { readonly kind: 'value'; readonly value: unknown; readonly headers: Headers } | StreamReply

/** Throws the error in a response whose status is not 2xx. */
export async function assertOk(response: Response): Promise<void> {
  const { ok, status, headers } = response
  if (ok) return
  throw fromEnvelope(await response.json().catch(() => null), {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: fromRetryAfter(headers.get('retry-after')),
  })
}

/** Reads a successful response by its content type. The payload is never treated as an error, whatever its members. */
export async function readReply(response: Response, options: ReadStreamOptions): Promise<Reply> {
  const { headers, body } = response
  const type = headers.get('content-type')
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(type ?? '')
  const framing = framingOf(type) ?? (options.delimiter === undefined || isJson ? null : 'text')
  if (framing === null || body === null)
    return { kind: 'value', value: await readResponseValue(response, isJson), headers }
  return readStream(response, body, { ...options, framing })
}

/** Returns the value of a JSON body, null for an empty body, or a blob for anything else. */
async function readResponseValue(response: Response, isJson: boolean): Promise<unknown> {
  if (!isJson) {
    const blob = await response.blob()
    return blob.size === 0 ? null : blob
  }
  const text = await response.text()
  return text === '' ? null : parseResponseJson(text, 'The response')
}
