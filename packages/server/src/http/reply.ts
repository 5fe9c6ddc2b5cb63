import { isChunks } from '../platform/is-chunks.ts'
import { joinEvent, joinLine, toEnvelope, type ApiError } from '@sdk/protocol'
import { namesMediaType } from './accept.ts'
import { andThen } from '../platform/and-then.ts'
import { holdFirstChunk } from './first-chunk.ts'
import { JsonText } from './json-text.ts'
import { MEDIA_TYPE } from './media-type.ts'
import { attachedError, attachedFailure } from './response-error.ts'
import { openChunks, type BodyChunk, type ReplyStream } from './reply-stream.ts'

/** A response from the core, which the adapters convert to bytes. */
export interface Reply {
  status: number
  /** The headers by lower-case name. Only `set-cookie` may have several values. */
  headers: Record<string, string | string[]>
  body: BodyChunk | ReplyStream | null
  /** The app's default headers. A header with the same name in `headers` takes precedence. @default none */
  defaultHeaders?: DefaultHeaders | undefined
  /** The error that is attached to a handler's `Response`. */
  error?: ApiError | undefined
  /** The error that caused a handler's `Response`, which is logged if its status is 500 or more. */
  failure?: ApiError | undefined
  /** Called by the adapter when the response has been sent, or the client has disconnected. */
  ended?: (bytes: number, isWhole: boolean) => void
}

/** Default headers, as header lines that each have a line ending. */
export interface DefaultHeaders {
  /** The lines of this reply, such as its request id. */
  readonly own: string
  /** The lines that many replies share. There are few variants, so adapters convert each of them only once. */
  readonly common: string
}

/** The default headers of a reply that has none. */
export const NO_DEFAULT_HEADERS: DefaultHeaders = { own: '', common: '' }

/** Returns whether a body is a stream. */
export function isReplyStream(body: Reply['body']): body is ReplyStream {
  return typeof body === 'object' && body !== null && 'chunks' in body
}

/** Options for `toReply`. */
export interface ReplyOptions {
  /** The request's `Accept` header. It determines whether a stream is sent as server-sent events. */
  accept: string | null
  /** The media type of a raw body, or undefined for JSON. */
  content: string | undefined
  /** The status of a result that is not a `Response`. */
  status: number
  /** Validates the value, or each chunk. Undefined disables validation. */
  check: ((value: unknown) => unknown) | undefined
  /** Logs a stream error and returns the error for the last chunk. */
  toError: (thrown: unknown) => ApiError
  /**
   * Returns a signal that aborts when the client disconnects. Null means that the reply does not wait for the first
   * chunk.
   */
  signal: (() => AbortSignal) | null
}

/** Converts a handler's result to a reply: a value to JSON, chunks to a stream. A `Response` is passed through. */
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
  const body = value instanceof JsonText ? value.text : (JSON.stringify(value) ?? 'null')
  return { status, headers: { 'content-type': MEDIA_TYPE.json }, body }
}

/** Converts a web `Response` to a reply. `toError` receives errors from its body. */
export function fromResponse(response: Response, toError: ReplyOptions['toError']): Reply {
  if (response.bodyUsed || response.body?.locked === true)
    throw new TypeError('this Response has already been used: its body was consumed')
  if (!(response.status >= 200 && response.status <= 599))
    throw new TypeError(`a Response must have a status from 200 to 599, got ${response.status}`)
  const headers: Reply['headers'] = Object.fromEntries(response.headers)
  for (const name of CONNECTION_HEADERS) delete headers[name]
  // A body from `fetch` is already decoded.
  if (response.url !== '') delete headers['content-encoding']
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  const body = response.body === null ? null : { ...rawStream(response.body, toError), isResponse: true }
  return { status: response.status, headers, body, error: attachedError(response), failure: attachedFailure(response) }
}

/**
 * The headers to remove, because they belong to a different connection or request. With an incorrect `content-length`,
 * clients could read part of a body as the next response.
 */
export const CONNECTION_HEADERS: readonly string[] = [
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

/**
 * Returns whether a result is a web `Response`. Checks its tag, since using the class would load `fetch`, which takes
 * 40 ms.
 */
export function isResponse(result: object): result is Response {
  return (result as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === 'Response'
}

/** Creates a stream reply. Waits for the first chunk, so that an error before it can set the status. */
function toStreamReply(chunks: ReplyStream['chunks'], options: ReplyOptions): Reply | Promise<Reply> {
  const reply = streamReply(chunks, options)
  if (options.signal === null) return reply
  return holdFirstChunk(reply.body, options.signal).then((body) => ({ ...reply, body }))
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
    // Without this header, some proxies buffer the entire stream.
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

/** Opens an iterable immediately, while an error can still set the status. */
function openIterable(chunks: ReplyStream['chunks']): AsyncIterable<unknown> {
  const source = openChunks({ chunks }) as AsyncIterator<unknown>
  return { [Symbol.asyncIterator]: () => source }
}

function toBodyChunk(chunk: unknown): BodyChunk {
  return chunk instanceof Uint8Array ? chunk : String(chunk)
}
