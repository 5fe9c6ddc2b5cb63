import type { ServerRequest } from '../http/server-request.ts'
import { isReplyStream, type Reply } from '../http/reply.ts'
import { endChunks, openChunks, type ReplyStream } from '../http/reply-stream.ts'
import { bodyCutOff, bodyNotUtf8, bodyTooLarge } from '../http/http-error.ts'
import { mergeDefaultHeaders } from '../guard/default-headers.ts'
import type { MaybePromise } from '../platform/and-then.ts'

type WebBody = ConstructorParameters<typeof Response>[0]

/** The second argument of `app.fetch`. Its values are checked, since some platforms pass an unrelated one. */
export interface RequestSource {
  /** The client's address, as provided by the platform. */
  readonly ip?: unknown
  /** Keeps the platform running until work has finished. */
  readonly waitUntil?: unknown
}

/** Converts a web `Request` to a `ServerRequest`. */
export function fromWebRequest(request: Request, from?: RequestSource): ServerRequest {
  const ip = typeof from?.ip === 'string' ? from.ip : '127.0.0.1'
  const { pathname, search, host, protocol } = new URL(request.url)
  let body: Promise<string> | undefined
  return {
    method: request.method,
    target: pathname + search,
    ip,
    isSecure: protocol === 'https:',
    header: (name) => request.headers.get(name) ?? (name === 'host' ? host : null),
    get rawHeaders() {
      return [...request.headers].flat()
    },
    get signal() {
      return request.signal
    },
    // Reads a clone, so that a handler can still read the original request.
    text: (limit) => (body ??= readText(request.clone(), limit)),
    request,
    ...(typeof from?.waitUntil === 'function' && { waitUntil: from.waitUntil as (work: Promise<unknown>) => void }),
  }
}

/** Handles a web `Request`. */
export async function respond(
  request: Request,
  handle: (request: ServerRequest) => MaybePromise<Reply>,
  from?: RequestSource,
): Promise<Response> {
  const call = fromWebRequest(request, from)
  const reply = await handle(call)
  if (call.waitUntil !== undefined && isReplyStream(reply.body)) call.waitUntil(whenEnded(reply))
  // A client that has disconnected might never read the response, so nothing else would end the stream.
  if (request.signal.aborted) endStream(reply)
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

/** Converts a reply to a web `Response`. */
export function toResponse(reply: Reply, method: string): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(mergeDefaultHeaders(reply))) {
    for (const one of [value].flat()) headers.append(name, one)
  }
  const isEmpty = method === 'HEAD' || reply.status === 204 || reply.status === 304
  return new Response(isEmpty ? discardBody(reply) : toWebBody(reply), { status: reply.status, headers })
}

function discardBody(reply: Reply): null {
  endStream(reply)
  reply.ended?.(0, true)
  return null
}

function endStream({ body }: Reply): void {
  if (isReplyStream(body)) void endChunks(openChunks(body), body)
}

/**
 * Reads a request body as text. Use it in routes with `raw: true`, such as webhooks, whose signatures cover the exact
 * bytes. Throws 413 if the body exceeds `limit` bytes, and 400 if it is not valid UTF-8.
 * @example const text = await readText(ctx.request, 100_000)
 */
export async function readText(request: Request, limit: number): Promise<string> {
  if (Number(request.headers.get('content-length')) > limit) throw bodyTooLarge(limit)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader()
  let text = ''
  let size = 0
  for (let part = await readBodyChunk(reader); part !== undefined; part = await readBodyChunk(reader)) {
    size += part.length
    if (size > limit) {
      // Not awaited: canceling a cloned body resolves only after the other branch is canceled too, if ever.
      void reader?.cancel()
      throw bodyTooLarge(limit)
    }
    text += decodeUtf8(decoder, part)
  }
  return text + decodeUtf8(decoder)
}

async function readBodyChunk(reader?: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reader?.read())?.value
  } catch {
    throw bodyCutOff()
  }
}

function decodeUtf8(decoder: InstanceType<typeof TextDecoder>, part?: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: part !== undefined })
  } catch {
    throw bodyNotUtf8()
  }
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
