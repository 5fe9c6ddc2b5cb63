import type { ServerRequest } from '../http/server-request.ts'
import { isReplyStream, NO_DEFAULT_HEADERS, type Reply } from '../http/reply.ts'
import { endChunks, openChunks, type ReplyStream } from '../http/reply-stream.ts'
import { readText } from '../http/read-text.ts'
import { forEachLine } from '../guard/default-headers.ts'
import { andThen, type MaybePromise } from '../platform/and-then.ts'

type WebBody = ConstructorParameters<typeof Response>[0]

/** The origin of a request, as the platform reports it. */
interface RequestOrigin {
  /** The client's address. The type is checked, since some platforms pass an unrelated second argument. */
  readonly ip?: unknown
  /** Keeps the platform running until work has finished. The type is checked, too. */
  readonly waitUntil?: unknown
  /** Limits how long the client may take to send the body. @default no limit */
  readonly limitTime?: (body: Promise<string>) => Promise<string>
}

/** Converts a web `Request` to a `ServerRequest`. */
export function fromWebRequest(request: Request, from?: RequestOrigin): ServerRequest {
  const given: unknown = request // tests that are not type-checked often pass a path
  if (typeof given === 'string' || given instanceof URL)
    throw new TypeError(`fetch needs a Request, got ${String(given)}: pass new Request('http://app.test/path', init)`)
  return new WebRequest(request, from)
}

/** A web `Request` as a `ServerRequest`. */
class WebRequest implements ServerRequest {
  readonly method: string
  readonly target: string
  readonly ip: string
  readonly isSecure: boolean
  readonly waitUntil?: (work: Promise<unknown>) => void
  readonly #limitTime: RequestOrigin['limitTime']
  readonly #original: Request
  #body: Promise<string> | undefined
  #request: Request | undefined

  constructor(request: Request, from?: RequestOrigin) {
    const { url } = request
    this.method = request.method
    this.target = targetOf(url)
    this.ip = typeof from?.ip === 'string' ? from.ip : '127.0.0.1'
    this.isSecure = url.startsWith('https:')
    if (typeof from?.waitUntil === 'function') this.waitUntil = from.waitUntil as (work: Promise<unknown>) => void
    this.#limitTime = from?.limitTime
    this.#original = request
  }

  header(name: string): string | null {
    const value = this.#original.headers.get(name)
    return value === null && name === 'host' ? new URL(this.#original.url).host : value
  }

  get rawHeaders(): string[] {
    return [...this.#original.headers].flat()
  }

  get signal(): AbortSignal {
    return this.#original.signal
  }

  text(limit: number): Promise<string> {
    // A handler that has the `Request` may still read its body, so read from a clone of that request. Cloning costs
    // more than everything else, so it is avoided for all other handlers.
    return (this.#body ??= this.#read(limit))
  }

  #read(limit: number): Promise<string> {
    const text = readText(this.#request?.clone() ?? this.#original, limit)
    return this.#limitTime?.(text) ?? text
  }

  get request(): Request {
    return (this.#request ??= this.#body === undefined ? this.#original : withBody(this.#original, this.#body))
  }
}

/** Returns the path and query of an absolute URL, as `URL` would, but in a tenth of the time. */
function targetOf(url: string): string {
  const fragment = url.indexOf('#')
  return url.slice(url.indexOf('/', url.indexOf('://') + 3), fragment === -1 ? undefined : fragment)
}

/** Returns a copy of a request whose body has already been read. */
function withBody(request: Request, body: Promise<string>): Request {
  if (request.body === null) return request
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    controller.enqueue(new TextEncoder().encode(await body))
    controller.close()
  }
  const init = { body: new ReadableStream({ pull }, { highWaterMark: 0 }), duplex: 'half' }
  return new Request(request, init as RequestInit)
}

/** Handles a web `Request`. */
export async function respond(
  request: Request,
  handle: (request: ServerRequest) => MaybePromise<Reply>,
  from?: RequestOrigin,
): Promise<Response> {
  const call = fromWebRequest(request, from)
  const reply = await handle(call)
  if (call.waitUntil !== undefined && isReplyStream(reply.body)) call.waitUntil(whenEnded(reply))
  // A client that has disconnected might never read the response, so nothing else would end the stream.
  if (isReplyStream(reply.body) && request.signal.aborted) endStream(reply)
  return toResponse(reply, request.method)
}

/** Returns a promise that resolves when a reply has been sent, or its client has disconnected. */
function whenEnded(reply: Reply): Promise<void> {
  const { ended } = reply
  return new Promise((resolve) => {
    reply.ended = (bytes, isWhole) => {
      ended?.(bytes, isWhole)
      resolve()
    }
  })
}

/** Handles a web `Request` on a server that waits for its pending responses when it closes. */
export function respondOnServer(
  request: Request,
  app: { handle(call: ServerRequest): MaybePromise<Reply> },
  options: RequestOrigin & { readonly pending: Set<Promise<unknown>> },
): Promise<Response> {
  const { pending } = options
  const response = respond(request, (call) => andThen(app.handle(call), track), options)
  pending.add(response)
  const done = (): unknown => pending.delete(response)
  response.then(done, done)
  return response

  /** Adds a stream to the pending responses until it has ended. */
  function track(reply: Reply): Reply {
    if (!isReplyStream(reply.body)) return reply
    const { ended } = reply
    let finish = (): void => {}
    const streamed = new Promise<void>((resolve) => (finish = resolve))
    pending.add(streamed)
    void streamed.then(() => pending.delete(streamed))
    // After a disconnect, the stream may never be read, and then it does not end.
    request.signal.addEventListener('abort', finish, { once: true })
    reply.ended = (size, isWhole) => {
      finish()
      ended?.(size, isWhole)
    }
    return reply
  }
}

/** Converts a reply to a web `Response`. */
export function toResponse(reply: Reply, method: string): Response {
  const isEmpty = method === 'HEAD' || reply.status === 204 || reply.status === 304
  const { status, defaultHeaders = NO_DEFAULT_HEADERS } = reply
  const init = { status, headers: commonHeaders(defaultHeaders.common) }
  const response = new Response(isEmpty ? discardBody(reply) : toWebBody(reply), init)
  const { headers } = response
  forEachLine(defaultHeaders.own, (name, value) => headers.set(name, value))
  setHeaders(headers, reply.headers)
  return response
}

const prepared = new Map<string, Headers>()

/** Returns the headers that many responses share. In all runtimes, copying them costs less than validating them. */
function commonHeaders(lines: string): Headers {
  const headers = prepared.get(lines)
  if (headers !== undefined) return headers
  const made = new Headers()
  forEachLine(lines, (name, value) => made.set(name, value))
  prepared.set(lines, made)
  return made
}

function setHeaders(headers: Headers, values: Reply['headers']): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') {
      headers.set(name, value)
    } else {
      headers.delete(name)
      for (const one of value) headers.append(name, one)
    }
  }
}

function discardBody(reply: Reply): null {
  endStream(reply)
  reply.ended?.(0, true)
  return null
}

function endStream({ body }: Reply): void {
  if (isReplyStream(body)) void endChunks(openChunks(body), body)
}

function toWebBody({ body, ended }: Reply): WebBody {
  if (isReplyStream(body)) return toReplyWebStream(body, ended)
  ended?.(typeof body === 'string' ? new TextEncoder().encode(body).length : (body?.length ?? 0), true)
  return body as WebBody
}

function toReplyWebStream(stream: ReplyStream, ended: Reply['ended']): ReadableStream<Uint8Array> {
  const iterator = openChunks(stream)
  const encoder = new TextEncoder()
  let size = 0
  let isCanceled = false
  const toBytes = (piece: string | Uint8Array): Uint8Array => {
    const bytes = typeof piece === 'string' ? encoder.encode(piece) : piece
    size += bytes.length
    return bytes
  }
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await iterator.next()
        const bytes = next.done === true ? null : toBytes(await stream.encode(next.value))
        if (isCanceled) return
        if (bytes !== null) return controller.enqueue(bytes)
        controller.close()
        ended?.(size, true)
      } catch (thrown) {
        const last = stream.encodeError(thrown)
        void endChunks(iterator, stream)
        if (last === null) controller.error(thrown)
        else {
          controller.enqueue(toBytes(last))
          controller.close()
        }
        ended?.(size, last !== null)
      }
    },
    async cancel() {
      isCanceled = true
      await endChunks(iterator, stream)
      ended?.(size, false)
    },
  })
}
