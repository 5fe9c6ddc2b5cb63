import { ApiError, CONTENT_TYPE, joinLine, toEnvelope } from '@sdk/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { createFakeAuthSource } from '../auth/fake-auth-source.test.fixture.ts'
import { createInstantClock, createManualClock } from '../instant-clock.test.fixture.ts'
import { createHttpClient, type ClientOptions, type HttpClient } from './http-client.ts'
import { failure, respond } from './http-server.test.fixture.ts'
import { MAX_SILENCE_MS } from './run-pieces.ts'
import { RUN, startRunServer, type RunServer } from './run-server.test.fixture.ts'

const route = 'POST /agent/a'
let server: RunServer
const clock = createInstantClock(MAX_SILENCE_MS, MAX_SILENCE_MS + 30_000)

afterEach(() => server.close())

async function start(...chunks: unknown[]): Promise<HttpClient> {
  server = await startRunServer(...chunks)
  return connect()
}

function connect(options: ClientOptions = {}): HttpClient {
  return createHttpClient({ baseUrl: server.url, clock, ...options })
}

describe('a run that waits', () => {
  const waiting = { event: 'approval', id: null, ask: { cost: 7 }, until: null }

  it('continues after RUN_WAITING at the end of a response, and reports its state', async () => {
    const error = toEnvelope(new ApiError('RUN_WAITING', 'waits', { status: 409 }))
    const client = await start(1, error)
    server.faults = [{ bytes: Buffer.byteLength(joinLine(1) + joinLine(error)), isProper: true }]
    server.run = { ...RUN, status: 'waiting', waiting }
    server.intercept = ({ url = '' }) => {
      // The event arrives after the first response.
      if (url.includes('chunks')) server.chunks = [1, 2]
      return false
    }
    const states: unknown[] = []
    const onRun = ({ status, ...run }: { status: string; waiting: unknown }): unknown =>
      states.push(run.waiting ? { status, waiting: run.waiting } : status)
    const reply = await client.send(route, {}, { onRun })
    expect(reply.kind === 'stream' && (await reply.collect())).toEqual([1, 2])
    expect(states).toEqual(['running', { status: 'waiting', waiting }, 'running', 'done'])
  })

  it('reports its state when the server sends a line with a tab', async () => {
    const client = await start()
    server.run = { ...RUN, status: 'waiting', waiting }
    let release = (): void => {}
    server.intercept = (request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(200, { 'content-type': CONTENT_TYPE.ndjson, 'run-id': 'r1', 'run-position': '1.0' })
      response.write('1\n')
      setTimeout(() => response.write('\t\n'), 20)
      release = () => response.end('2\n \n')
      return true
    }
    const states: string[] = []
    const onRun = ({ status }: { status: string }): void => {
      states.push(status)
      if (status === 'waiting') release()
    }
    const reply = await client.send(route, {}, { onRun })
    expect(reply.kind === 'stream' && (await reply.collect())).toEqual([1, 2])
    expect(states).toEqual(['running', 'waiting', 'running', 'done'])
  })
})

describe('the state of a run', () => {
  const waiting = { event: 'approval', id: null, ask: null, until: null }

  it('is not overwritten by a late response', async () => {
    const client = await start()
    const held: (() => void)[] = []
    let end = (): void => {}
    server.intercept = (request, response) => {
      if (request.method === 'POST') {
        response.writeHead(200, { 'content-type': CONTENT_TYPE.ndjson, 'run-id': 'r1', 'run-position': '1.0' })
        response.write('\t\n')
        end = () => response.end('1\n \n')
        return true
      }
      held.push(() => respond(200, { ...RUN, status: 'waiting', waiting })(request, response))
      end()
      return true
    }
    const states: string[] = []
    const reply = await client.send(route, {}, { onRun: ({ status }) => states.push(status) })
    expect(reply.kind === 'stream' && (await reply.collect())).toEqual([1])
    expect(held).toHaveLength(1)
    for (const release of held) release()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(states).toEqual(['running', 'done'])
  })

  it.each([
    ['NDJSON', CONTENT_TYPE.ndjson, '\t\n', ' \n'],
    ['SSE', CONTENT_TYPE.sse, ':\t\n\n', ':end\n\n'],
  ])('is requested when the server reports a change as %s', async (_name, type, mark, end) => {
    const client = await start()
    server.run = { ...RUN, status: 'waiting', waiting }
    let requests = 0
    let write: (text: string) => void = () => {}
    let finish = (): void => {}
    server.intercept = (request, response) => {
      if (request.method === 'POST') {
        response.writeHead(200, { 'content-type': type, 'run-id': 'r1', 'run-position': '1.0' })
        write = (text) => void response.write(text)
        finish = () => response.end(end)
        write(mark)
        return true
      }
      requests += 1
      if (requests < 3) write(mark)
      else finish()
      return false
    }
    const reply = await client.send(route, {}, { onRun: () => {} })
    if (reply.kind === 'stream') await reply.collect()
    expect(requests).toBe(3)
  })

  it('is failed if the run failed with RUN_WAITING, which another run may have caused', async () => {
    const client = await start(1, toEnvelope(new ApiError('RUN_WAITING', 'waits', { status: 409 })))
    const reply = await client.send(route, {}, {})
    const reading = reply.kind === 'stream' ? reply.collect() : null
    await expect(reading).rejects.toMatchObject({ code: 'RUN_WAITING' })
  })
})

describe('following a stream', () => {
  it.each([
    [410, 'RUN_GONE'],
    [404, 'NOT_FOUND'],
    [400, 'INVALID_REQUEST'],
  ])('ends with the error if the server responds with %i', async (status, code) => {
    const client = await start(1, 2, 3)
    server.faults = [{ bytes: 4 }]
    server.intercept = (request, response) => {
      if (request.method === 'POST') return false
      respond(status, toEnvelope(new ApiError(code, 'no', { status })))(request, response)
      return true
    }
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const chunk of client.stream(route, {})) seen.push(chunk)
    })()
    expect(await failure(reading)).toMatchObject({ code, status })
    expect(seen).toEqual([1, 2])
    expect(server.requests).toHaveLength(2)
  })

  it('ends with a 404 after the user has signed out', async () => {
    await start(1, 2, 3)
    const auth = createFakeAuthSource()
    auth.become('ada')
    server.faults = [{ bytes: 4, onSent: () => auth.become(null) }]
    server.intercept = (request, response) => {
      if (request.headers.authorization) return false
      respond(404, {})(request, response)
      return true
    }
    expect(await failure(connect({ auth }).call(route, {}))).toMatchObject({ status: 404 })
  })

  it('throws the error of the run, even if its status is temporary', async () => {
    const error = toEnvelope(new ApiError('SERVICE_UNAVAILABLE', 'no model'))
    const client = await start(1, error)
    server.faults = [{ bytes: 20 }]
    const states: string[] = []
    const reply = await client.send(route, {}, { onRun: ({ status }) => states.push(status) })
    expect(await failure(reply.kind === 'stream' ? reply.collect() : Promise.resolve())).toMatchObject({ status: 503 })
    expect(server.requests).toEqual([route, 'GET /agent/a/runs/r1/chunks?at=1.1'])
    expect(states).toEqual(['running', 'failed'])
  })

  it('yields a chunk that is equal to an error envelope', async () => {
    const error = toEnvelope(new ApiError('CONFLICT', 'a chunk'))
    const client = await start(error, 2)
    server.faults = [{ bytes: joinLine(error).length }]
    expect(await client.call(route, {})).toEqual([error, 2])
    expect(server.requests[1]).toBe('GET /agent/a/runs/r1/chunks?at=1.0')
  })

  it('ends if the server has no more chunks', async () => {
    const client = await start(1, 2)
    server.faults = [{ bytes: 4 }]
    server.intercept = (request, response) => {
      if (request.method === 'POST') return false
      response.writeHead(204).end()
      return true
    }
    expect(await client.call(route, {})).toEqual([1, 2])
  })

  it('waits longer after each failure, and not at all for a proper end', async () => {
    const client = await start(1, 2, 3)
    server.faults = [{ bytes: 4 }]
    let count = 0
    server.intercept = (request, response) => {
      if (request.method === 'POST' || ++count > 4) return false
      if (count === 1) response.destroy()
      else respond(count === 2 ? 503 : 500, {}, count === 2 ? { 'retry-after': '7' } : {})(request, response)
      return true
    }
    clock.waits.length = 0
    expect(await client.call(route, {})).toEqual([1, 2, 3])
    expect(clock.waits).toHaveLength(5)
    expect(clock.waits[2]).toBeGreaterThanOrEqual(7000)
    expect(Math.max(...clock.waits.toSpliced(2, 1))).toBeLessThanOrEqual(50 + 500 * 2 ** 4)
    clock.waits.length = 0
    await client.call(route, {})
    expect(clock.waits).toEqual([])
  })

  it('gives up if the server stays unreachable', async () => {
    const client = await start(1, 2, 3)
    server.faults = Array.from({ length: 50 }, () => ({ bytes: 0 }))
    expect(await failure(client.call(route, {}))).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(server.requests).toHaveLength(31)
  })

  it('is disabled by retry: false', async () => {
    const client = await start(1, 2, 3)
    server.faults = [{ bytes: 4 }]
    expect(await failure(client.call(route, {}, { retry: false }))).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(server.requests).toEqual([route])
  })

  it('sends the headers of the call and the token of the user, but no key', async () => {
    await start(1, 2, 3)
    const auth = createFakeAuthSource()
    auth.become('ada')
    const seen: unknown[] = []
    server.faults = [{ bytes: 4 }]
    server.intercept = ({ headers }) => {
      seen.push([headers.authorization, headers['x-a'], headers['run-thread'], !!headers['idempotency-key']])
      return false
    }
    await connect({ auth }).call(route, {}, { thread: 't1', headers: { 'x-a': '1' } })
    expect(seen).toEqual([
      ['Bearer token-of-ada', '1', 't1', true],
      ['Bearer token-of-ada', '1', undefined, false],
    ])
  })

  it('also continues a stream of the route of chunks', async () => {
    const client = await start(1, 2, 3)
    server.faults = [{ bytes: 4 }]
    const options = { params: { run: 'r1' } }
    expect(await client.call('GET /agent/a/runs/:run/chunks', options)).toEqual([1, 2, 3])
    expect(server.requests).toEqual(['GET /agent/a/runs/r1/chunks', 'GET /agent/a/runs/r1/chunks?at=1.2'])
  })

  it('stops when the loop is left or the call is aborted, also during a delay', async () => {
    await start(1, 2, 3)
    server.faults = [{ bytes: 4 }]
    for await (const chunk of connect().stream(route, {})) if (chunk === 1) break
    const controller = new AbortController()
    server.faults = [{ bytes: 4 }]
    const reason = new RangeError('enough')
    const standing = createManualClock(() => controller.abort(reason))
    const call = connect({ clock: standing }).call(route, {}, { signal: controller.signal })
    expect(await failure(call)).toBe(reason)
    expect(standing.waiting).toBeNull()
    expect(server.requests).toEqual([route, route])
  })
})

describe('a stream that is not of a run', () => {
  it('is not continued, and has headers', async () => {
    const client = await start()
    server.intercept = (_request, response) => {
      response
        .writeHead(200, { 'content-type': CONTENT_TYPE.ndjson, 'x-a': '1' })
        .write('1\n', () => response.destroy())
      return true
    }
    const reply = await client.send(route, {})
    expect(reply.headers.get('x-a')).toBe('1')
    expect(await failure(reply.kind === 'stream' ? reply.collect() : Promise.resolve())).toMatchObject({
      code: 'NETWORK_ERROR',
    })
    expect(server.requests).toEqual([route])
  })
})
