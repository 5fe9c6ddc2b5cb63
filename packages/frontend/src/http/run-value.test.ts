import { ApiError, CONTENT_TYPE, toEnvelope, type Run } from '@sdk/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createInstantClock } from '../instant-clock.test.fixture.ts'
import type { SendOptions } from './call.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { failure, respond, startServer, type Handler, type TestServer } from './http-server.test.fixture.ts'
import { MAX_SILENCE_MS } from './run-pieces.ts'
import { RUN, startRunServer } from './run-server.test.fixture.ts'

const route = 'POST /agent/a'
const waiting = { event: 'approval', id: null, ask: null, until: null }
const done: Partial<Run> = { status: 'done', output: { text: 'whole' }, endedAt: RUN.createdAt }
let server: TestServer
let client: HttpClient
let first: Handler
/** The responses to the requests for the run, in order; the last one is repeated. */
let runs: (Partial<Run> | Handler)[]

beforeEach(async () => {
  server = await startServer((request, response) => {
    const next = request.method === 'POST' ? first : ((runs.length > 1 ? runs.shift() : runs[0]) ?? {})
    const handler = typeof next === 'function' ? next : respond(200, { ...RUN, stream: false, ...next })
    handler(request, response)
  })
  client = createHttpClient({ baseUrl: server.url, clock: createInstantClock(MAX_SILENCE_MS, MAX_SILENCE_MS + 30_000) })
})
afterEach(() => server.close())

function accept(run: Partial<Run> = {}): Handler {
  return respond(202, { ...RUN, stream: false, ...run }, { 'run-id': 'r1' })
}

describe('a run without a stream', () => {
  it('returns the value and the state of a run that ends at once', async () => {
    first = respond(200, { text: 'whole' }, { 'run-id': 'r1' })
    const states: string[] = []
    const reply = await client.send(route, {}, { onRun: ({ id, status }) => states.push(`${id} ${status}`) })
    expect(reply).toMatchObject({ kind: 'value', value: { text: 'whole' } })
    expect(states).toEqual(['r1 running', 'r1 done'])
    expect(server.requests).toEqual([route])
  })

  it('is followed after a 202 until it ends', async () => {
    first = accept({ status: 'waiting', waiting })
    runs = [{ status: 'waiting', waiting }, { status: 'running' }, done]
    const states: unknown[] = []
    const onRun = (run: Pick<Run, 'status' | 'waiting'>): unknown => states.push(run.waiting?.event ?? run.status)
    const reply = await client.send(route, {}, { onRun })
    expect(reply.kind === 'value' && reply.value).toEqual({ text: 'whole' })
    expect(states).toEqual(['running', 'approval', 'approval', 'running', 'done'])
    expect(server.requests).toEqual([route, ...Array.from({ length: 3 }, () => 'GET /agent/a/runs/r1?wait=30')])
  })

  it('is followed if the response is cut', async () => {
    first = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50', 'run-id': 'r1' })
      response.write('{"text":', () => response.destroy())
    }
    const page: Handler = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')
    runs = [(_request, response) => response.destroy(), respond(503, {}), respond(200, 'odd'), page, done]
    expect(await client.call(route, {})).toEqual({ text: 'whole' })
    expect(server.requests).toHaveLength(6)
  })

  it('returns null if the run has no output', async () => {
    first = accept()
    runs = [{ ...done, output: null }]
    expect(await client.call(route, {})).toBeNull()
  })

  it('throws the error of a failed run without sending the request again', async () => {
    first = accept()
    runs = [{ status: 'failed', error: toEnvelope(new ApiError('SERVICE_UNAVAILABLE', 'no model')).error }]
    const headers = { 'idempotency-key': 'k1' }
    expect(await failure(client.call(route, {}, { headers }))).toMatchObject({ status: 503, message: 'no model' })
    expect(server.requests).toHaveLength(2)
  })

  it('throws RUN_CANCELLED if the run was cancelled', async () => {
    first = accept()
    runs = [{ status: 'cancelled', endedAt: RUN.createdAt }]
    expect(await failure(client.call(route, {}))).toMatchObject({ code: 'RUN_CANCELLED' })
  })

  it('is cancelled with the parameters and headers of its call, also after the call was aborted', async () => {
    let deleted: unknown[] = []
    first = accept()
    runs = [
      ({ method, url, headers }, response) => {
        deleted = [`${method} ${url}`, headers['x-tenant'], headers['run-thread']]
        response.writeHead(204).end()
      },
    ]
    const controller = new AbortController()
    const onRun: SendOptions['onRun'] = (_run, cancel) => {
      controller.abort(new Error('left'))
      cancel()
    }
    const options = { params: { team: 7 }, headers: { 'x-tenant': 'tea' }, thread: 't1', signal: controller.signal }
    const call = client.send('POST /agent/teams/:team/a', {}, { ...options, onRun })
    await expect(call).rejects.toThrow('left')
    await expect.poll(() => deleted).toEqual(['DELETE /agent/teams/7/a/runs/r1', 'tea', undefined])
  })

  it('ignores an error of its cancellation', async () => {
    first = accept()
    runs = [respond(403, {}), done]
    expect((await client.send(route, {}, { onRun: (_run, cancel) => cancel() })).kind).toBe('value')
    expect(server.requests).toContain('DELETE /agent/a/runs/r1')
  })

  it.each([404, 410])('ends with the error if the server responds with %i', async (status) => {
    first = accept()
    runs = [respond(status, {})]
    expect(await failure(client.call(route, {}))).toMatchObject({ status })
    expect(server.requests).toHaveLength(2)
  })

  it('asks a server that does not wait less and less often', async () => {
    const clock = createInstantClock(MAX_SILENCE_MS, MAX_SILENCE_MS + 30_000)
    first = accept({ status: 'waiting', waiting })
    runs = [...Array.from({ length: 12 }, () => ({ status: 'waiting', waiting }) as const), done]
    await createHttpClient({ baseUrl: server.url, clock }).call(route, {})
    expect(clock.waits).toHaveLength(12)
    expect(Math.max(...clock.waits)).toBeGreaterThan(1000)
  })

  it('ends with TIMEOUT after timeoutMs', async () => {
    first = accept()
    runs = [() => {}]
    const patient = createHttpClient({ baseUrl: server.url })
    expect(await failure(patient.call(route, {}, { timeoutMs: 50 }))).toMatchObject({ code: 'TIMEOUT' })
  })

  it('returns the run itself from its own route', async () => {
    runs = [respond(200, { ...RUN, stream: false }, { 'run-id': 'r1' })]
    expect(await client.call('GET /agent/a/runs/:run', { params: { run: 'r1' } })).toMatchObject({ status: 'running' })
    expect(server.requests).toEqual(['GET /agent/a/runs/r1'])
  })

  it('is requested with Prefer: wait=2, after the preference of the caller', async () => {
    const seen: unknown[] = []
    first = ({ headers }, response) => {
      seen.push(headers['prefer'])
      response.writeHead(204).end()
    }
    await client.call(route, {})
    await client.call(route, {}, { headers: { Prefer: 'respond-async' } })
    await client.call('POST /api/a', {})
    expect(seen).toEqual(['wait=2', 'respond-async, wait=2', undefined])
  })

  it('sends Run-Thread and a new key for each call with a thread', async () => {
    const seen: (string | undefined)[] = []
    first = ({ headers }, response) => {
      seen.push(`${String(headers['run-thread'])} ${String(headers['idempotency-key'])}`)
      response.writeHead(204).end()
    }
    await client.call(route, {}, { thread: 't1' })
    await client.call(route, {}, { thread: 't1' })
    await client.call(route, {}, { thread: 't1', headers: { 'Idempotency-Key': 'mine' } })
    expect(seen[0]).toMatch(/^t1 \d+-\d+-\d+-\d+$/)
    expect(seen[1]).not.toBe(seen[0])
    expect(seen[2]).toBe('t1 mine')
  })
})

describe('a run with a stream', () => {
  it('is followed after a 202, and by the option run', async () => {
    const streaming = await startRunServer(1, 2, 3)
    const follower = createHttpClient({
      baseUrl: streaming.url,
      clock: createInstantClock(MAX_SILENCE_MS, MAX_SILENCE_MS + 30_000),
    })
    streaming.intercept = (request, response) => {
      if (request.method !== 'POST') return false
      respond(202, RUN, { 'run-id': 'r1' })(request, response)
      return true
    }
    streaming.faults = [{ bytes: 4 }]
    expect(await follower.call(route, {})).toEqual([1, 2, 3])
    const chunks = ['GET /agent/a/runs/r1/chunks', 'GET /agent/a/runs/r1/chunks?at=1.2']
    expect(streaming.requests).toEqual([route, ...chunks])
    const reply = await follower.send(route, undefined, { run: 'r1' })
    expect(reply.headers.get('run-id')).toBe('r1')
    expect(reply.kind === 'stream' && (await reply.collect())).toEqual([1, 2, 3])
    expect(streaming.requests.slice(3)).toEqual(['GET /agent/a/runs/r1', 'GET /agent/a/runs/r1/chunks'])
    await streaming.close()
  })
})

describe('the newest run of a thread', () => {
  const follow = (): Promise<unknown> => client.send(route, undefined, { thread: 'a/b', run: 'newest' })

  it('is followed without starting another', async () => {
    runs = [respond(200, { state: null, run: { ...RUN, stream: false } }), done]
    expect(await follow()).toMatchObject({ kind: 'value', value: { text: 'whole' } })
    expect(server.requests).toEqual(['GET /agent/a/threads/a%2Fb', 'GET /agent/a/runs/r1?wait=30'])
  })

  it('is not asked for again if it has ended', async () => {
    runs = [respond(200, { state: null, run: { ...RUN, stream: false, ...done } })]
    expect(await follow()).toMatchObject({ kind: 'value', value: { text: 'whole' } })
    expect(server.requests).toHaveLength(1)
  })

  it.each([null, { ...RUN, status: 'cancelled' }])('throws NOT_FOUND if it is %j', async (run) => {
    runs = [respond(200, { state: null, run })]
    expect(await failure(follow())).toMatchObject({ code: 'NOT_FOUND', status: 404 })
  })

  it('is requested again if a request fails after a reload, as are its chunks', async () => {
    const lines: Handler = (_request, response) =>
      response.writeHead(200, { 'content-type': CONTENT_TYPE.ndjson, 'run-position': '1.0' }).end('1\n \n')
    runs = [respond(503, {}), { ...done, stream: true }, (_request, response) => response.destroy(), lines]
    const reply = await client.send(route, undefined, { run: 'r1' })
    expect(reply.kind === 'stream' && (await reply.collect())).toEqual([1])
    expect(server.requests.slice(2)).toEqual(Array.from({ length: 2 }, () => 'GET /agent/a/runs/r1/chunks'))
  })

  it('throws RUN_GONE before it reports the run if its chunks are deleted', async () => {
    const gone = respond(410, toEnvelope(new ApiError('RUN_GONE', 'gone', { status: 410 })))
    runs = [respond(200, { state: null, run: { ...RUN, ...done } }), gone]
    const seen: unknown[] = []
    const call = client.send(route, undefined, { thread: 't1', run: 'newest', onRun: (run) => seen.push(run) })
    expect(await failure(call)).toMatchObject({ code: 'RUN_GONE' })
    expect(seen).toEqual([])
  })
})
