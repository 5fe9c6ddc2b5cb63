import { isChunks } from '../platform/is-chunks.ts'
import { joinEvent, joinLine, toEnvelope, type ApiError } from '@sdk/protocol'
import { namesMediaType } from './accept.ts'
import { andThen } from '../platform/and-then.ts'
import { holdFirstChunk } from './first-chunk.ts'
import { MEDIA_TYPE } from './media-type.ts'
import { openChunks, type BodyChunk, type ReplyStream } from './reply-stream.ts'

/** One response of the core; the adapters turn it into bytes. */
export interface Reply {
  status: number
  /** By lower-case name; several values only for `set-cookie`. */
  headers: Record<string, string | string[]>
  body: BodyChunk | ReplyStream | null
  /** Header lines that the app adds, each with its line end; a header of the same name in `headers` wins. @default '' */
  defaultHeaders?: string
  /** Called by the adapter when the response is sent, or the client disconnected before. */
  ended?: (bytes: number, isWhole: boolean) => void
}

/** Is this body made while it is sent? */
export function isReplyStream(body: Reply['body']): body is ReplyStream {
  return typeof body === 'object' && body !== null && 'chunks' in body
}

/** How a result is written out. */
export interface ReplyOptions {
  /** The request's `Accept` header: asks for server-sent events, or not. */
  accept: string | null
  /** The media type of a body that is sent raw; undefined: JSON. */
  content: string | undefined
  /** The status of what is not a `Response`. */
  status: number
  /** Checks the value, or each chunk; undefined: nothing to check. */
  check: ((value: unknown) => unknown) | undefined
  /** Logs what a stream throws, and gives the error of its last chunk. */
  toError: (thrown: unknown) => ApiError
  /** Aborts when the client disconnects; null: the response does not wait for the first chunk. */
  signal: (() => AbortSignal) | null
}

/** What a handler gave, as an answer: a value is JSON, chunks a stream, a `Response` itself. */
export function toReply(result: unknown, options: ReplyOptions): Reply | Promise<Reply> {
  if (typeof result === 'object' && result !== null) {
    if (isResponse(result)) return fromResponse(result, options.toError)
    if (isChunks(result)) return toStreamReply(result, options)
  }
  if (options.content !== undefined)
    return { status: options.status, headers: { 'content-type': options.content }, body: toBodyChunk(result) }
  if (options.check === undefined) return toJsonReply(result, options.status)
  return andThen(options.check(result), (checked) => toJsonReply(checked, options.status))
}

function toJsonReply(value: unknown, status: number): Reply {
  if (status === 204) return { status, headers: {}, body: null }
  return { status, headers: { 'content-type': MEDIA_TYPE.json }, body: JSON.stringify(value) ?? 'null' }
}

/** A web `Response` as our answer; `toError` hears of a body that fails. */
export function fromResponse(response: Response, toError: ReplyOptions['toError']): Reply {
  if (response.bodyUsed || response.body?.locked === true)
    throw new TypeError('this Response was read, or answered with, before: its body is gone')
  if (!(response.status >= 200 && response.status <= 599))
    throw new TypeError(`a Response with status ${response.status} cannot be an answer`)
  const headers: Reply['headers'] = Object.fromEntries(response.headers)
  for (const name of CONNECTION_HEADERS) delete headers[name]
  // What `fetch` gave is decoded already.
  if (response.url !== '') delete headers['content-encoding']
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  const body = response.body === null ? null : { ...rawStream(response.body, toError), isResponse: true }
  return { status: response.status, headers, body }
}

/** Headers of another connection or request. The length too: a wrong one would let a body forge what follows it. */
const CONNECTION_HEADERS = [
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
]

/** Is it a web `Response`? Asked by its tag: naming the class makes Node load all of `fetch`, which takes 40 ms. */
export function isResponse(result: object): result is Response {
  return (result as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === 'Response'
}

/** Waits for the first chunk, so that an error before it has a status of its own. */
function toStreamReply(chunks: ReplyStream['chunks'], options: ReplyOptions): Reply | Promise<Reply> {
  const reply = streamReply(chunks, options)
  if (options.signal === null) return reply
  return holdFirstChunk(reply.body, options.signal()).then((body) => ({ ...reply, body }))
}

function streamReply(chunks: ReplyStream['chunks'], options: ReplyOptions): Reply & { body: ReplyStream } {
  if (options.content !== undefined)
    return {
      status: options.status,
      headers: { 'content-type': options.content },
      body: rawStream(chunks, options.toError),
    }
  const isSse = namesMediaType(options.accept, MEDIA_TYPE.sse)
  const join: (value: unknown) => string = isSse ? joinEvent : joinLine
  const { check, toError } = options
  return {
    status: options.status,
    // Some proxies hold a stream back until it is whole, unless they are told not to.
    headers: { 'content-type': isSse ? MEDIA_TYPE.sse : MEDIA_TYPE.ndjson, 'x-accel-buffering': 'no' },
    body: {
      chunks: openIterable(chunks),
      encode: check === undefined ? join : (chunk) => andThen(check(chunk), join),
      encodeError: (thrown) => join(toEnvelope(toError(thrown))),
    },
  }
}

function rawStream(chunks: ReplyStream['chunks'], toError: ReplyOptions['toError']): ReplyStream {
  return {
    chunks: openIterable(chunks),
    encode: toBodyChunk,
    encodeError(thrown) {
      toError(thrown)
      return null
    },
  }
}

/** Opened while an error can still be answered. */
function openIterable(chunks: ReplyStream['chunks']): AsyncIterable<unknown> {
  const source = openChunks({ chunks }) as AsyncIterator<unknown>
  return { [Symbol.asyncIterator]: () => source }
}

function toBodyChunk(chunk: unknown): BodyChunk {
  return chunk instanceof Uint8Array ? chunk : String(chunk)
}
