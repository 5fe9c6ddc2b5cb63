import { ApiError } from '@sdk/protocol'
import { isStream, openChunks, type Call, type Reply, type ReplyStream } from './call.ts'

type WebBody = ConstructorParameters<typeof Response>[0]

/** A web `Request` as a call. */
export function requestCall(request: Request, ip = '127.0.0.1'): Call {
  const { pathname, search, host, protocol } = new URL(request.url)
  let body: Promise<Uint8Array> | undefined
  return {
    method: request.method,
    target: pathname + search,
    ip,
    isSecure: protocol === 'https:',
    header: (name) => request.headers.get(name) ?? (name === 'host' ? host : null),
    get signal() {
      return request.signal
    },
    // A copy, so that a handler can still read the request itself.
    bytes: (limit) => (body ??= readBytes(request.clone(), limit)),
    request,
  }
}

/** An answer as a web `Response`. */
export function toResponse(reply: Reply, method: string): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(reply.headers)) {
    for (const one of [value].flat()) headers.append(name, one)
  }
  const isEmpty = method === 'HEAD' || reply.status === 204 || reply.status === 304
  return new Response(isEmpty ? null : toBody(reply.body), { status: reply.status, headers })
}

/** Refuses a body that is larger than allowed; the rest of it is not read, so the connection ends. */
export function tooLarge(limit: number): ApiError {
  return new ApiError('CONTENT_TOO_LARGE', `the body has more than ${limit} bytes`, {
    headers: { connection: 'close' },
  })
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > limit) throw tooLarge(limit)
  const parts: Uint8Array[] = []
  let size = 0
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader()
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    size += next.value.length
    parts.push(next.value)
    if (size <= limit) continue
    // Not awaited: this is one of two readers of the body, and the other may never cancel.
    void reader?.cancel()
    throw tooLarge(limit)
  }
  return concat(parts, size)
}

function concat(parts: readonly Uint8Array[], size: number): Uint8Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0]
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function toBody(body: Reply['body']): WebBody {
  return isStream(body) ? toWebStream(body) : (body as WebBody)
}

function toWebStream(stream: ReplyStream): ReadableStream<Uint8Array> {
  const iterator = openChunks(stream)
  const encoder = new TextEncoder()
  const toBytes = (piece: string | Uint8Array): Uint8Array =>
    typeof piece === 'string' ? encoder.encode(piece) : piece
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await iterator.next()
        if (next.done === true) controller.close()
        else controller.enqueue(toBytes(await stream.encode(next.value)))
      } catch (thrown) {
        const last = stream.encodeError(thrown)
        if (last === null) return controller.error(thrown)
        controller.enqueue(toBytes(last))
        controller.close()
      }
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
