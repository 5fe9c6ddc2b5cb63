import { once } from 'node:events'
import { ApiError, joinEvent, joinLine } from '@sdk/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { respond, failure, startServer, type Handler, type TestServer } from './http-server.test.fixture.ts'

let handler: Handler
let server: TestServer
let client: HttpClient

beforeEach(async () => {
  server = await startServer((request, response) => void handler(request, response))
  client = createHttpClient({ baseUrl: server.url })
})
afterEach(() => server.close())

async function collect(chunks: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

function cut(bytes: Uint8Array<ArrayBuffer>, sizes: readonly number[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const end = at + (sizes[turn % sizes.length] ?? 1)
        controller.enqueue(bytes.slice(at, end))
        at = end
      }
      controller.close()
    },
  })
}

describe('client.stream', () => {
  it.each([
    ['application/x-ndjson', joinLine({ a: 'ü' }) + joinLine({ a: '😀' })],
    ['application/jsonl; charset=utf-8', '{"a":"ü"}\n\n{"a":"😀"}'],
    ['text/event-stream', `: hello\n\n${joinEvent({ a: 'ü' })}${joinEvent({ a: '😀' })}`],
    ['text/plain', '{"a":"ü"}\n{"a":"😀"}'],
  ])('reads %s byte by byte', async (type, body) => {
    handler = async (_request, response) => {
      response.writeHead(200, { 'content-type': type })
      for (const byte of Buffer.from(body)) {
        response.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      response.end()
    }
    expect(await collect(client.stream('POST /agent/a', {}))).toEqual([{ a: 'ü' }, { a: '😀' }])
  })

  it('reads server-sent events as specified', async () => {
    const body =
      ': hi\r\nevent: news\r\nid: 7\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata: plain\n\nretry: 5\n\ndata: cut off'
    handler = (_request, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
    expect(await collect(client.stream('GET /a'))).toEqual([{ a: 1 }, 'plain'])
  })

  it('yields the same chunks for any split of the bytes', async () => {
    const delimiter = '<->'
    const piece = fc.string({ unit: fc.constantFrom('a', 'ü', '😀', '<', '-', '>') })
    const text = fc.array(piece, { minLength: 1 }).map((pieces) => pieces.join(delimiter))
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), async (body, sizes) => {
        const bytes = new TextEncoder().encode(body)
        const response = new Response(cut(bytes, sizes), {
          headers: { 'content-type': 'text/plain' },
        })
        const local = createHttpClient({ baseUrl: server.url, fetch: async () => response })
        const pieces = body.split(delimiter)
        // Text after the last delimiter is a chunk only if it is not empty.
        expect(await collect(local.stream('GET /a', { delimiter }))).toEqual(
          pieces.at(-1) === '' ? pieces.slice(0, -1) : pieces,
        )
      }),
    )
  })

  it('splits by the delimiter of the caller', async () => {
    handler = (_request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('one--2--{"a":3}')
    expect(await collect(client.stream('POST /a', {}, { delimiter: '--' }))).toEqual(['one', 2, { a: 3 }])
  })

  it('yields one chunk if the route does not stream', async () => {
    handler = respond(200, { a: 1 })
    expect(await collect(client.stream('GET /a'))).toEqual([{ a: 1 }])
  })

  it('throws the error of the last chunk after the chunks before it', async () => {
    const envelope = { error: { code: 'CONFLICT', message: 'taken', details: [] } }
    handler = (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/x-ndjson' })
        .end(joinLine({ a: 1 }) + joinLine(envelope) + joinLine({ a: 2 }) + joinLine(envelope))
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const chunk of client.stream('POST /a', {})) seen.push(chunk)
    })()
    const error = await failure(reading)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'CONFLICT', status: 409, message: 'taken' })
    expect(seen).toEqual([{ a: 1 }, envelope, { a: 2 }])
  })

  it('closes the request if the reader stops early', async () => {
    let gone: Promise<unknown> = Promise.resolve()
    handler = (_request, response) => {
      gone = once(response, 'close')
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(joinLine(1) + joinLine(2))
    }
    for await (const chunk of client.stream('POST /a', {})) {
      expect(chunk).toBe(1)
      break
    }
    await gone
  })

  it('throws NETWORK_ERROR if the connection is cut, and the reason if it is aborted', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(joinLine(1))
      setTimeout(() => response.destroy(), 1)
    }
    expect(await failure(collect(client.stream('POST /a', {})))).toMatchObject({ code: 'NETWORK_ERROR' })

    handler = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(joinLine(1))
    const controller = new AbortController()
    const reading = (async () => {
      for await (const _ of client.stream('POST /a', {}, { signal: controller.signal })) controller.abort()
    })()
    expect(await failure(reading)).toBe(controller.signal.reason)
  })
})
