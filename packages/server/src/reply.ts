import { CONTENT_TYPE, joinEvent, joinLine, toEnvelope, type ApiError } from '@sdk/protocol'
import type { Reply, ReplyStream } from './call.ts'

/** How a result is written out. */
export interface ReplyOptions {
  /** The request's `Accept` header: asks for server-sent events, or not. */
  accept: string | null
  /** Checks the value, or each chunk. */
  check: (value: unknown) => unknown
  /** Turns what a stream throws into the error of its last chunk. */
  toError: (thrown: unknown) => ApiError
}

/** What a handler gave, as an answer: a value is JSON, an iterable a stream, a `Response` itself. */
export async function toReply(result: unknown, options: ReplyOptions): Promise<Reply> {
  if (result instanceof Response) return fromResponse(result)
  if (isChunks(result)) return streamReply(result, options)
  return jsonReply(await options.check(result))
}

/** An answer of JSON. */
export function jsonReply(value: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) ?? 'null' }
}

/** A web `Response` as our answer. */
export function fromResponse(response: Response): Reply {
  const headers: Reply['headers'] = Object.fromEntries(response.headers)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  return { status: response.status, headers, body: response.body }
}

/** Does a handler's result come in chunks? */
export function isChunks(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

function streamReply(chunks: AsyncIterable<unknown>, options: ReplyOptions): Reply {
  const isSse = options.accept?.includes(CONTENT_TYPE.sse) ?? false
  return {
    status: 200,
    headers: { 'content-type': isSse ? CONTENT_TYPE.sse : CONTENT_TYPE.ndjson, 'x-accel-buffering': 'no' },
    body: frame(chunks, isSse ? joinEvent : joinLine, options),
  }
}

async function* frame(
  chunks: AsyncIterable<unknown>,
  join: (value: unknown) => string,
  options: ReplyOptions,
): ReplyStream {
  try {
    for await (const chunk of chunks) yield join(await options.check(chunk))
  } catch (thrown) {
    yield join(toEnvelope(options.toError(thrown)))
  }
}
