import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../clock.ts'
import { createFakeAuthSource } from '../auth/fake-auth-source.test.fixture.ts'
import { createHttpClient, type ClientOptions, type HttpClient } from './http-client.ts'
import { respond, failure, startServer, type Handler, type TestServer } from './http-server.test.fixture.ts'
import { createManualClock, type ManualClock } from '../instant-clock.test.fixture.ts'

let handler: Handler
let server: TestServer
let clock: ManualClock

beforeEach(async () => {
  server = await startServer((request, response) => void handler(request, response))
  clock = createManualClock()
})
afterEach(() => server.close())

function connect(options: ClientOptions = {}): HttpClient {
  return createHttpClient({ baseUrl: server.url, clock, ...options })
}

describe('timeoutMs', () => {
  it('ends a call with TIMEOUT and closes the request', async () => {
    let gone: Promise<unknown> = Promise.resolve()
    handler = (_request, response) => {
      gone = once(response, 'close')
      clock.ring()
    }
    const error = await failure(connect({ timeoutMs: 5000 }).call('GET /a'))
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'TIMEOUT',
      status: 0,
      message: expect.stringContaining('5000 ms'),
    })
    await gone
    expect(server.requests).toHaveLength(1)
  })

  it('covers a value until the end of its body', async () => {
    handler = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"a":')
    const ringing: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      setImmediate(clock.ring)
      return response
    }
    const call = connect({ fetch: ringing }).call('GET /a', { timeoutMs: 1 })
    expect(await failure(call)).toMatchObject({ code: 'TIMEOUT' })
  })

  it('covers a stream until it starts', async () => {
    let end = (): void => {}
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('1\n')
      end = () => void response.end('2\n')
    }
    const seen: unknown[] = []
    for await (const chunk of connect({ timeoutMs: 1 }).stream('GET /a')) {
      expect(clock.waiting).toBeNull()
      seen.push(chunk)
      end()
    }
    expect(seen).toEqual([1, 2])
  })

  it('does not keep the signal from stopping a stream', async () => {
    handler = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('1\n')
    const { signal, abort } = abortable()
    const reading = (async () => {
      for await (const _ of connect().stream('GET /a', { signal, timeoutMs: 1 })) abort('enough')
    })()
    expect(await failure(reading)).toBe('enough')
  })

  it('covers the delays between retries', async () => {
    const timers = new Map<number, () => void>()
    const timeoutMs = 1000
    const ringing: Clock = {
      now: () => 0,
      after(ms, run) {
        timers.set(ms, run)
        if (ms !== timeoutMs) queueMicrotask(() => timers.get(timeoutMs)?.())
        return () => void timers.delete(ms)
      },
    }
    handler = respond(503, {}, { 'retry-after': '30' })
    expect(await failure(connect({ clock: ringing, timeoutMs }).call('GET /a'))).toMatchObject({ code: 'TIMEOUT' })
    expect(server.requests).toHaveLength(1)
    expect(timers.size).toBe(0)
  })

  it('can be overridden by a call, and its timer stops after the response', async () => {
    const timers: (number | null)[] = []
    handler = (request, response) => {
      timers.push(clock.waiting)
      respond(200, 1)(request, response)
    }
    const client = connect({ timeoutMs: 1 })
    await client.call('GET /a')
    await client.call('GET /a', { timeoutMs: 2 })
    await connect().call('GET /a')
    expect(timers).toEqual([1, 2, null])
    expect(clock.waiting).toBeNull()
  })
})

describe('signal', () => {
  it('ends a call that waits for its token, without sending a request', async () => {
    const source = { ...createFakeAuthSource(), token: () => new Promise<never>(() => {}) }
    const { signal, abort } = abortable()
    const call = connect().withAuth(source).call('POST /a', {}, { signal })
    abort('enough')
    expect(await failure(call)).toBe('enough')
    expect(server.requests).toEqual([])
  })

  it('prevents the request if it is already aborted', async () => {
    const signal = AbortSignal.abort('before')
    expect(await failure(connect().call('GET /a', { signal }))).toBe('before')
    expect(server.requests).toEqual([])
  })
})

function abortable(): { signal: AbortSignal; abort: (reason: unknown) => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) }
}
