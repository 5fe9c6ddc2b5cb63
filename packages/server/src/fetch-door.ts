import { ApiError } from '@sdk/protocol'
import { isStream, type Call, type Reply, type ReplyStream } from './call.ts'

type WebBody = ConstructorParameters<typeof Response>[0]

/** A web `Request` as a call. */
export function requestCall(request: Request, ip = '127.0.0.1'): Call {
  const { pathname, search } = new URL(request.url)
  let body: Promise<Uint8Array> | undefined
  return {
    method: request.method,
    target: pathname + search,
    ip,
    header: (name) => request.headers.get(name),
    get signal() {
      return request.signal
    },
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
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length > limit) throw tooLarge(limit)
  return bytes
}

function toBody(body: Reply['body']): WebBody {
  return isStream(body) ? toWebStream(body) : (body as WebBody)
}

function toWebStream(stream: ReplyStream): ReadableStream<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
