import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { andThen } from '../platform/and-then.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { readText } from '../http/read-text.ts'
import { addressOf, isEncrypted, isClientGone } from './connections.ts'
import { isContinueHeld, sendContinue } from './expect-continue.ts'
import { bodyCutOff, bodyNotUtf8, bodyTooLarge } from '../http/http-error.ts'

/** The placeholder for a missing Host header. No page can have this origin. */
const NO_HOST = 'missing-host.invalid'

/** A `node:http` request as a `ServerRequest`. Its signal, body and `Request` are created on first access. */
export class NodeRequest implements ServerRequest {
  readonly method: string
  readonly target: string
  readonly ip: string
  readonly isSecure: boolean
  readonly #incoming: IncomingMessage
  readonly #response: ServerResponse | undefined
  #body: Buffer | Promise<Buffer> | undefined
  #controller: AbortController | undefined
  #request: Request | undefined

  /** `response` is undefined for upgrade requests. */
  constructor(incoming: IncomingMessage, response?: ServerResponse) {
    this.method = incoming.method ?? 'GET'
    this.target = toRequestTarget(incoming.url ?? '/')
    // Read now, since an aborted request loses its socket.
    this.ip = addressOf(incoming.socket)
    this.isSecure = isEncrypted(incoming.socket)
    this.#incoming = incoming
    this.#response = response
  }

  header(name: string): string | null {
    if (name === 'content-type') return contentTypeOf(this.#incoming)
    const value = this.#incoming.headers[name]
    return value === undefined ? null : typeof value === 'string' ? value : value.join(', ')
  }

  get rawHeaders(): readonly string[] {
    return this.#incoming.rawHeaders
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      const response = this.#response
      const abort = (): void => {
        if (response?.writableFinished === false) controller.abort()
      }
      this.#controller = controller
      // The signal may be created after the client has disconnected.
      if (response !== undefined && isClientGone(response)) abort()
      // Prepended so that the signal is aborted before the stream ends: the generator's `finally` block may read it.
      else response?.prependOnceListener('close', abort)
      // A pipelined response gets no `close` event; its connection does.
      if (response?.socket === null) this.#incoming.socket.prependOnceListener('close', abort)
    }
    return this.#controller.signal
  }

  text(limit: number): string | Promise<string> {
    // An existing `Request` owns the body stream, so read from a clone of that request.
    if (this.#body === undefined && this.#request !== undefined) return readText(this.#request.clone(), limit)
    return andThen((this.#body ??= readBody(this.#incoming, limit)), decodeText)
  }

  get request(): Request {
    return (this.#request ??= this.#toRequest())
  }

  #toRequest(): Request {
    const headers = new Headers()
    for (const [name, value] of Object.entries(this.#incoming.headersDistinct)) {
      if (!name.startsWith(':')) for (const one of value ?? []) headers.append(name, one)
    }
    const scheme = this.isSecure ? 'https' : 'http'
    // Concatenated, since resolving the URL would change a path like `//host/x`.
    const url = `${scheme}://${this.header('host') ?? NO_HOST}${this.target}`
    const hasBody = this.method !== 'GET' && this.method !== 'HEAD'
    return new Request(url, {
      method: this.method,
      headers,
      signal: this.signal,
      ...(hasBody ? { body: this.#webBody(), duplex: 'half' } : {}),
    })
  }

  #webBody(): ReadableStream<Uint8Array> {
    const body = this.#body
    if (body === undefined) return toBodyWebStream(this.#incoming)
    return new ReadableStream({
      async pull(controller) {
        controller.enqueue(await body)
        controller.close()
      },
    })
  }
}

/** Returns the path and query of a request target. Requests from a proxy may have an absolute URL. */
export function toRequestTarget(url: string): string {
  if (url.startsWith('/')) return url
  const rest = url.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '')
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest
}

/** Joins all `Content-Type` headers. Node would keep only the first, while a proxy may have checked a different one. */
function contentTypeOf({ rawHeaders }: IncomingMessage): string | null {
  let type: string | null = null
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name === undefined || name.length !== 12 || name.toLowerCase() !== 'content-type') continue
    type = type === null ? (rawHeaders[at + 1] ?? '') : `${type}, ${rawHeaders[at + 1]}`
  }
  return type
}

/** Reads a body. The read is synchronous if the entire body has already arrived, which is common for small bodies. */
function readBody(incoming: IncomingMessage, limit: number): Buffer | Promise<Buffer> {
  const length = Number(incoming.headers['content-length'] ?? Number.NaN)
  if (length > limit) throw bodyTooLarge(limit)
  sendContinue(incoming)
  return length > 0 && incoming.readableLength === length ? (incoming.read() as Buffer) : receiveBody(incoming, limit)
}

function decodeText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString()
  throw bodyNotUtf8()
}

/**
 * Converts a request body to a web stream. `Readable.toWeb` would destroy the connection, and thus the response, if the
 * body is not fully read.
 */
function toBodyWebStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    incoming.on('data', (part: Buffer) => {
      controller.enqueue(part)
      if ((controller.desiredSize ?? 0) <= 0) incoming.pause()
    })
    incoming.once('end', () => controller.close())
    incoming.once('close', () => {
      if (!incoming.readableEnded) controller.error(bodyCutOff())
    })
    incoming.pause()
  }
  const pull = (): void => {
    sendContinue(incoming)
    incoming.resume()
  }
  const cancel = (): void => {
    incoming.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close')
    incoming.resume()
  }
  // Nothing is pulled in advance while the client is waiting for `100 Continue`.
  return new ReadableStream({ start, pull, cancel }, { highWaterMark: isContinueHeld(incoming) ? 0 : 1 })
}

function receiveBody(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let size = 0
    incoming.on('data', (part: Buffer) => {
      size += part.length
      parts.push(part)
      if (size <= limit) return
      incoming.pause()
      reject(bodyTooLarge(limit))
    })
    incoming.once('end', () => resolve(Buffer.concat(parts, size)))
    // An aborted request emits `close` without `end`.
    incoming.once('close', () => {
      if (!incoming.readableEnded) reject(bodyCutOff())
    })
  })
}
