import { ApiError } from '@sdk/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpClient, type ClientOptions, type HttpClient } from './http-client.ts'
import { respond, failure, readBody, startServer, type Handler, type TestServer } from './http-server.test.fixture.ts'
import { createInstantClock, createManualClock, type InstantClock } from '../instant-clock.test.fixture.ts'
import { retryDelay } from './retries.ts'

let handler: Handler
let server: TestServer
let clock: InstantClock

beforeEach(async () => {
  server = await startServer((request, response) => void handler(request, response))
  clock = createInstantClock()
})
afterEach(() => server.close())

function connect(options: ClientOptions = {}): HttpClient {
  return createHttpClient({ baseUrl: server.url, clock, ...options })
}

/** Returns a handler that calls `first` for the first `count` requests, then `then`. */
function times(count: number, first: Handler, then: Handler = respond(200, 'done')): Handler {
  return (request, response) => (count-- > 0 ? first : then)(request, response)
}

const drop: Handler = (_request, response) => response.destroy()

describe('client.call with retries', () => {
  it.each([429, 503])('waits for the Retry-After of a %i and retries', async (status) => {
    handler = times(2, respond(status, {}, { 'retry-after': '7' }))
    expect(await connect().call('GET /a')).toBe('done')
    expect(clock.waits).toHaveLength(2)
    for (const wait of clock.waits) {
      expect(wait).toBeGreaterThanOrEqual(7000)
      expect(wait).toBeLessThan(7600)
    }
  })

  it('waits until the date of Retry-After', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString()
    handler = times(1, respond(503, {}, { 'retry-after': date }))
    expect(await connect().call('GET /a')).toBe('done')
    expect(clock.waits[0]).toBeGreaterThan(20_000)
    expect(clock.waits[0]).toBeLessThan(31_000)
  })

  it('backs off without Retry-After and gives up after three retries', async () => {
    handler = respond(503, {})
    expect(await failure(connect().call('GET /a'))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(server.requests).toHaveLength(4)
    for (const [retries, wait] of clock.waits.entries()) expect(wait).toBeLessThanOrEqual(50 + 500 * 2 ** retries)
  })

  it.each(['GET /a', 'HEAD /a', 'DELETE /a', 'OPTIONS /a'])('retries %s', async (route) => {
    handler = times(1, respond(429, {}))
    await connect().call(route)
    expect(server.requests).toEqual([route, route])
  })

  it('retries a PUT with its whole payload', async () => {
    const bodies: string[] = []
    handler = async (request, response) => {
      bodies.push((await readBody(request)).toString())
      respond(bodies.length === 1 ? 503 : 200, 1)(request, response)
    }
    expect(await connect().call('PUT /a', { n: 1 })).toBe(1)
    expect(bodies).toEqual(['{"n":1}', '{"n":1}'])
  })

  it.each(['POST /a', 'PATCH /a'])('retries %s only with an idempotency key', async (route) => {
    handler = times(2, respond(429, {}))
    expect(await failure(connect().call(route, {}))).toMatchObject({ status: 429 })
    expect(await connect().call(route, {}, { headers: { 'Idempotency-Key': 'k1' } })).toBe('done')
    expect(server.requests).toHaveLength(3)
  })

  it.each([400, 401, 403, 404, 408, 409, 422, 500, 501])('does not retry after a %i', async (status) => {
    handler = respond(status, {}, { 'retry-after': '1' })
    expect(await failure(connect().call('GET /a'))).toMatchObject({ status })
    expect(server.requests).toHaveLength(1)
  })

  it('does not wait longer than a minute', async () => {
    handler = respond(429, {}, { 'retry-after': '61' })
    expect(await failure(connect().call('GET /a'))).toMatchObject({ status: 429, retryAfter: 61 })
    expect(clock.waits).toEqual([])
  })

  it.each([
    ['a cut connection', drop],
    ['a 502', respond(502, {})],
    ['a 504', respond(504, {})],
  ])('retries reads after %s at most twice, and never writes', async (_name, lose) => {
    handler = times(2, lose)
    expect(await connect().call('GET /a')).toBe('done')
    handler = lose
    server.requests.length = 0
    expect(await failure(connect().call('GET /a'))).toBeInstanceOf(ApiError)
    expect(server.requests).toHaveLength(3)
    for (const route of ['PUT /a', 'DELETE /a', 'POST /a']) {
      server.requests.length = 0
      expect(await failure(connect().call(route))).toBeInstanceOf(ApiError)
      expect(server.requests).toEqual([route])
    }
  })

  it('retries a write with an idempotency key after a cut connection', async () => {
    handler = times(1, drop)
    expect(await connect().call('POST /a', {}, { headers: { 'idempotency-key': 'k1' } })).toBe('done')
  })

  it('retries a read if the response is cut off', async () => {
    handler = times(1, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"a":', () => response.destroy())
    })
    expect(await connect().call('GET /a')).toBe('done')
  })

  it('accepts a number or false from the client and from a call', async () => {
    const count = async (client: HttpClient, retry?: number | false): Promise<number> => {
      server.requests.length = 0
      await failure(client.call('GET /a', { retry }))
      return server.requests.length
    }
    handler = respond(503, {})
    expect(await count(connect({ retry: false }))).toBe(1)
    expect(await count(connect({ retry: 1 }))).toBe(2)
    expect(await count(connect({ retry: 1 }), 4)).toBe(5)
    expect(await count(connect(), false)).toBe(1)
    handler = drop
    expect(await count(connect(), 4)).toBe(3)
    expect(await count(connect(), 0)).toBe(1)
  })

  it('retries a stream, but never after its first chunk', async () => {
    handler = times(1, respond(503, {}), (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write('1\n', () => response.destroy())
    })
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const chunk of connect().stream('GET /a')) seen.push(chunk)
    })()
    expect(await failure(reading)).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(seen).toEqual([1])
    expect(server.requests).toHaveLength(2)
  })

  it('does not send a stream body twice', async () => {
    handler = respond(503, {})
    const body = new ReadableStream({ start: (controller) => controller.close() })
    expect(await failure(connect().call('PUT /a', body))).toMatchObject({ status: 503 })
    expect(server.requests).toHaveLength(1)
  })

  it('ends the delay when it is aborted', async () => {
    handler = respond(503, {}, { 'retry-after': '60' })
    const controller = new AbortController()
    const standing = createManualClock(() => controller.abort('enough'))
    const call = connect({ clock: standing }).call('GET /a', { signal: controller.signal })
    expect(await failure(call)).toBe('enough')
    expect(standing.waiting).toBeNull()
    expect(server.requests).toHaveLength(1)
  })
})

describe('retryDelay', () => {
  const policy = { method: 'GET', headers: new Headers(), retry: 3 }

  it('returns undefined for errors that must not be retried', () => {
    for (const code of ['TIMEOUT', 'INVALID_RESPONSE', 'CONFLICT'])
      expect(retryDelay(new ApiError(code, 'no'), 0, policy)).toBeUndefined()
  })

  it('returns at least 50 ms, even if Retry-After is 0', () => {
    const error = new ApiError('TOO_MANY_REQUESTS', 'no', { retryAfter: 0 })
    expect(retryDelay(error, 0, policy)).toBeGreaterThanOrEqual(50)
  })
})
