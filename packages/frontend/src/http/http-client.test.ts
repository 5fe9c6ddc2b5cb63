import { once } from 'node:events'
import { ApiError, joinLine } from '@sdk/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { respond, failure, readBody, startServer, type Handler, type TestServer } from './http-server.test.fixture.ts'

let handler: Handler
let server: TestServer
let client: HttpClient

beforeEach(async () => {
  server = await startServer((request, response) => void handler(request, response))
  client = createHttpClient({ baseUrl: server.url })
})
afterEach(() => server.close())

describe('client.call', () => {
  it('fills in the path and the query and returns the JSON', async () => {
    handler = respond(200, { id: 7 })
    const options = { params: { id: 'a/b' }, query: { done: false, sort: ['-id', 'title'], none: undefined } }
    expect(await client.call('GET /api/v1/tasks/:id', options)).toEqual({ id: 7 })
    expect(server.requests).toEqual(['GET /api/v1/tasks/a%2Fb?done=false&sort=-id%2Ctitle'])
  })

  it('sends no Content-Type without a payload', async () => {
    const types: unknown[] = []
    handler = (request, response) => {
      types.push(request.headers['content-type'])
      respond(200, {})(request, response)
    }
    await client.call('GET /a')
    await client.call('POST /a')
    await client.call('DELETE /a', { headers: { 'x-tenant': 'a' } })
    expect(types).toEqual([undefined, undefined, undefined])
  })

  it.each([[0], [false], [''], [null], [{ a: 1 }], [[1]], ['text']])('sends %j as JSON', async (payload) => {
    let type: string | undefined
    handler = async (request, response) => {
      type = request.headers['content-type']
      response.writeHead(200, { 'content-type': 'application/json' }).end(await readBody(request))
    }
    expect(await client.call('POST /echo', payload)).toEqual(payload)
    expect(type).toBe('application/json')
  })

  it('sends forms, blobs, bytes and URL parameters with their content types', async () => {
    handler = async (request, response) => {
      const body = (await readBody(request)).toString('latin1')
      respond(200, { type: request.headers['content-type'], body })(request, response)
    }
    const form = new FormData()
    form.set('a', '1')
    expect(await client.call('POST /a', form)).toMatchObject({
      type: expect.stringMatching(/^multipart\/form-data; boundary=/),
      body: expect.stringContaining('name="a"'),
    })
    expect(await client.call('POST /a', new URLSearchParams({ a: 'b c' }))).toEqual({
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
      body: 'a=b+c',
    })
    expect(await client.call('POST /a', new Blob(['x'], { type: 'image/png' }))).toEqual({
      type: 'image/png',
      body: 'x',
    })
    const bytes = { type: 'application/octet-stream', body: '\x00\xff' }
    expect(await client.call('POST /a', new Uint8Array([0, 255]))).toEqual(bytes)
    expect(await client.call('POST /a', new Uint8Array([0, 255]).buffer)).toEqual(bytes)
  })

  it('sends a stream of bytes', async () => {
    handler = async (request, response) => {
      const body = (await readBody(request)).toString()
      respond(200, { type: request.headers['content-type'], body })(request, response)
    }
    const body = new ReadableStream({
      start(controller) {
        for (const text of ['a', 'b']) controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    })
    expect(await client.call('POST /a', body)).toEqual({ type: 'application/octet-stream', body: 'ab' })
  })

  it('keeps the Content-Type of the caller', async () => {
    handler = (request, response) => respond(200, request.headers['content-type'])(request, response)
    const headers = { 'Content-Type': 'application/merge-patch+json' }
    expect(await client.call('PATCH /a/:id', { done: null }, { params: { id: 1 }, headers })).toBe(
      headers['Content-Type'],
    )
  })

  it('throws before sending if the payload is not JSON', async () => {
    expect(await failure(client.call('POST /a', () => {}))).toBeInstanceOf(TypeError)
    expect(server.requests).toEqual([])
  })

  it('returns a 2xx payload that has a member "error"', async () => {
    const payload = { error: { code: 'NOT_FOUND', message: 'not an error', details: [] } }
    handler = respond(200, payload)
    expect(await client.call('POST /agent/a', {})).toEqual(payload)
  })

  it('returns null for an empty body and a blob for other types', async () => {
    handler = (_request, response) => response.writeHead(204).end()
    expect(await client.call('DELETE /a')).toBeNull()
    handler = (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end()
    expect(await client.call('GET /a')).toBeNull()
    handler = (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('png')
    const blob = (await client.call('GET /a')) as Blob
    expect([blob.type, await blob.text()]).toEqual(['image/png', 'png'])
  })

  it('returns the list of chunks if a route streams', async () => {
    handler = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(joinLine({ a: 1 }) + joinLine({ a: 2 }))
    expect(await client.call('POST /agent/a', {})).toEqual([{ a: 1 }, { a: 2 }])
  })

  it('throws the error of the envelope with requestId and retryAfter', async () => {
    const details = [{ code: 'REQUIRED', message: 'is required', source: 'body', pointer: '/title' }]
    const headers = { 'x-request-id': 'request-1', 'retry-after': '3' }
    handler = respond(429, { error: { code: 'SLOW_DOWN', message: 'not so fast', details } }, headers)
    const error = await failure(client.call('POST /a', {}))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      code: 'SLOW_DOWN',
      message: 'not so fast',
      status: 429,
      details,
      requestId: 'request-1',
      retryAfter: 3,
    })
  })

  it.each([
    [502, 'BAD_GATEWAY', 'The server responded with 502 (bad gateway)'],
    [404, 'NOT_FOUND', 'The server responded with 404 (not found)'],
    [418, 'HTTP_418', 'The server responded with 418 (http 418)'],
  ])("throws a readable error for a proxy's HTML page with %i", async (status, code, message) => {
    handler = (_request, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Oops</h1>')
    const error = await failure(client.call('POST /a'))
    expect(error).toMatchObject({ code, status, message, details: [] })
  })

  it('throws INVALID_RESPONSE if a success is not JSON', async () => {
    handler = (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":')
    expect(await failure(client.call('GET /a'))).toMatchObject({ code: 'INVALID_RESPONSE' })
  })

  it('throws the error of the status, without a retry, if the body of an error is cut off', async () => {
    let count = 0
    handler = (_request, response) => {
      count += 1
      response.writeHead(403, { 'content-type': 'application/json', 'content-length': '100' }).write('{"error":')
      setTimeout(() => response.destroy(), 1)
    }
    expect(await failure(client.call('GET /a'))).toMatchObject({ code: 'FORBIDDEN', status: 403, details: [] })
    expect(count).toBe(1)
  })

  it('throws NETWORK_ERROR if the server is unreachable or the response is cut off', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"a":')
      setTimeout(() => response.destroy(), 1)
    }
    expect(await failure(client.call('POST /a'))).toMatchObject({ code: 'NETWORK_ERROR', status: 0 })
    const unreachable = createHttpClient({ baseUrl: 'http://127.0.0.1:1' })
    const error = await failure(unreachable.call('POST /a'))
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', cause: expect.any(TypeError) })
  })

  it('rejects with the reason of the abort and closes the request', async () => {
    let gone: Promise<unknown> = Promise.resolve()
    const controller = new AbortController()
    handler = (_request, response) => {
      gone = once(response, 'close')
      controller.abort()
    }
    const error = await failure(client.call('POST /a', {}, { signal: controller.signal }))
    expect(error).toMatchObject({ name: 'AbortError' })
    expect(error).toBe(controller.signal.reason)
    await gone
  })

  it('uses the credentials option of the call or the client', async () => {
    const seen: unknown[] = []
    const spying: typeof fetch = (url, init) => {
      seen.push(new Request(url, init).credentials)
      return fetch(url, init)
    }
    handler = respond(200, 1)
    await createHttpClient({ baseUrl: server.url, fetch: spying }).call('GET /a')
    const including = createHttpClient({ baseUrl: server.url, fetch: spying, credentials: 'include' })
    await including.call('GET /a')
    await including.call('GET /a', { credentials: 'omit' })
    expect(seen).toEqual(['same-origin', 'include', 'omit'])
  })

  it('throws an error that names SDK_BASE_URL if there is no base URL', async () => {
    expect(await failure(createHttpClient().call('GET /a'))).toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('SDK_BASE_URL'),
    })
  })
})

describe('client.send', () => {
  it('returns the headers with the value, such as an ETag', async () => {
    handler = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json', etag: '"3"' }).end('{}')
    const reply = await client.send('GET /api/v1/tasks/:id', undefined, { params: { id: 7 } })
    expect(reply.kind === 'value' && reply.headers.get('etag')).toBe('"3"')
  })
})
