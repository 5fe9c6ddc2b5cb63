import { CONTENT_TYPE, joinEvent, joinLine } from '@sdk/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFakeClock, type FakeClock } from '../fake-clock.test.fixture.ts'
import { createInstantClock, createManualClock } from '../instant-clock.test.fixture.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { failure } from './http-server.test.fixture.ts'
import { MAX_SILENCE_MS } from './run-pieces.ts'
import { startRunServer, type RunServer } from './run-server.test.fixture.ts'

const CHUNKS = [{ t: 'ä' }, 12, 'two\nlines', { error: 'no' }, [{ t: '😀' }]]
const route = 'POST /agent/a'
let server: RunServer

afterEach(() => {
  vi.unstubAllGlobals()
  return server.close()
})

async function start(...chunks: unknown[]): Promise<HttpClient> {
  server = await startRunServer(...chunks)
  return createHttpClient({ baseUrl: server.url, clock: createInstantClock(MAX_SILENCE_MS) })
}

async function collect(chunks: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

describe.each([
  ['NDJSON', undefined, CHUNKS.map((chunk) => joinLine(chunk))],
  ['SSE', { accept: CONTENT_TYPE.sse }, CHUNKS.map((chunk, n) => joinEvent(chunk, { id: `1.${n + 1}` }))],
])('a stream of a run as %s', (_name, headers, parts) => {
  const bytes = Buffer.from(parts.join(''))
  const ends = parts.map((_part, index) => Buffer.byteLength(parts.slice(0, index + 1).join('')))

  it('continues after a cut at every byte', async () => {
    const client = await start(...CHUNKS)
    for (let at = 0; at < bytes.length; at++) {
      server.faults = [{ bytes: at }]
      server.requests.length = 0
      expect(await client.call(route, {}, { headers })).toEqual(CHUNKS)
      const complete = ends.filter((end) => end <= at).length
      expect(server.requests).toEqual([route, `GET /agent/a/runs/r1/chunks?at=1.${complete}`])
    }
  })

  it('continues if a proxy ends it properly at any byte, also between two chunks', async () => {
    const client = await start(...CHUNKS)
    for (let at = 1; at <= bytes.length; at++) {
      server.faults = [{ bytes: at, isProper: true }]
      expect(await client.call(route, {}, { headers })).toEqual(CHUNKS)
    }
  })

  it('continues after several cuts, and yields each chunk once', async () => {
    const client = await start(...CHUNKS)
    server.faults = [{ bytes: 0 }, { bytes: (ends[0] ?? 0) + 1 }, { bytes: 1 }, { bytes: ends[3] ?? 0 }]
    expect(await collect(client.stream(route, {}, { headers }))).toEqual(CHUNKS)
    expect(server.requests).toHaveLength(5)
  })

  it('retracts chunks that another process has produced again', async () => {
    const client = await start(...CHUNKS)
    server.faults = [{ bytes: ends[2] ?? 0, onSent: () => setImmediate(() => server.takeOver(1, 'b', 'c')) }]
    const events: unknown[] = []
    const onRetract = async (keep: number): Promise<void> => {
      await Promise.resolve()
      events.push(`keep ${keep}`)
    }
    for await (const chunk of client.stream(route, {}, { headers, onRetract })) events.push(chunk)
    expect(events).toEqual([...CHUNKS.slice(0, 3), 'keep 1', 'b', 'c'])
    expect(server.requests[1]).toMatch(/at=1\.3$/)
  })

  it('does not retract anything if another process continues after the last chunk', async () => {
    const client = await start(...CHUNKS)
    server.faults = [
      { bytes: ends[1] ?? 0, onSent: () => setImmediate(() => server.takeOver(2, 'c')) },
      { bytes: 1, onSent: () => setImmediate(() => server.takeOver(3, 'd')) },
    ]
    expect(await collect(client.stream(route, {}, { headers }))).toEqual([...CHUNKS.slice(0, 2), 'c', 'd'])
    expect(server.requests.slice(1)).toEqual([
      'GET /agent/a/runs/r1/chunks?at=1.2',
      'GET /agent/a/runs/r1/chunks?at=2.2',
    ])
  })
})

describe('a stream of a run as SSE that another process continues without a retraction', () => {
  it('continues with the epoch in the ids', async () => {
    const client = await start('a', 'b', 'c')
    server.takeOver(3)
    server.takeOver(1, 'b', 'c', 'd')
    const text = joinEvent('a', { id: '1.1' }) + joinEvent('b', { id: '3.2' }) + joinEvent('c', { id: '3.3' })
    server.intercept = (request, response) => {
      if (request.method !== 'POST') return false
      response
        .writeHead(200, { 'content-type': CONTENT_TYPE.sse, 'run-id': 'r1', 'run-position': '1.0' })
        .write(text, () => response.destroy())
      return true
    }
    const headers = { accept: CONTENT_TYPE.sse }
    expect(await collect(client.stream(route, {}, { headers }))).toEqual(['a', 'b', 'c', 'd'])
    expect(server.requests[1]).toBe('GET /agent/a/runs/r1/chunks?at=3.3')
  })
})

describe('a stream of a run in a page that goes offline', () => {
  it('is cut, and continues when the page is online again', async () => {
    const page = new EventTarget()
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
    vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
    await start('a', 'b')
    const clock = createManualClock(() => page.dispatchEvent(new Event('online')))
    server.intercept = (request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(200, { 'content-type': CONTENT_TYPE.ndjson, 'run-id': 'r1', 'run-position': '1.0' })
      response.write('"a"\n')
      return true
    }
    const chunks: unknown[] = []
    for await (const chunk of createHttpClient({ baseUrl: server.url, clock }).stream(route, {})) {
      chunks.push(chunk)
      if (chunk === 'a') page.dispatchEvent(new Event('offline'))
    }
    expect(chunks).toEqual(['a', 'b'])
    expect(server.requests).toEqual([route, 'GET /agent/a/runs/r1/chunks?at=1.1'])
  })
})

describe('a stream of a run on a connection that is silent', () => {
  /** Sends `a` and then nothing. */
  async function startSilent(): Promise<FakeClock> {
    await start('a', 'b')
    server.intercept = (request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(200, { 'content-type': CONTENT_TYPE.ndjson, 'run-id': 'r1', 'run-position': '1.0' })
      response.write('"a"\n')
      return true
    }
    return createFakeClock()
  }

  it('is cut after 20 s, and continues', async () => {
    const clock = await startSilent()
    const chunks = createHttpClient({ baseUrl: server.url, clock }).stream(route, {})
    expect(await chunks.next()).toMatchObject({ value: 'a' })
    const next = chunks.next()
    await clock.advance(19_000)
    expect(server.requests).toEqual([route])
    await clock.advance(1_000)
    await expect.poll(() => clock.advance(1_000).then(() => server.requests)).toHaveLength(2)
    expect(await next).toMatchObject({ value: 'b' })
    expect(await chunks.next()).toMatchObject({ done: true })
    expect(clock.waiting).toBe(0)
  })

  it('continues with another request if the response is late', async () => {
    const clock = await startSilent()
    const { intercept } = server
    // Accepts the second request, and does not respond.
    server.intercept = (request, response) => server.requests.length === 2 || intercept(request, response)
    const chunks = createHttpClient({ baseUrl: server.url, clock }).stream(route, {})
    expect(await chunks.next()).toMatchObject({ value: 'a' })
    const next = chunks.next()
    await clock.advance(20_000)
    await expect.poll(() => clock.advance(50).then(() => server.requests)).toHaveLength(2)
    await clock.advance(10_000)
    expect(server.requests).toHaveLength(2)
    await expect.poll(() => clock.advance(1_000).then(() => server.requests)).toHaveLength(3)
    expect(await next).toMatchObject({ value: 'b' })
    expect(await chunks.next()).toMatchObject({ done: true })
    expect(server.requests.slice(1)).toEqual(Array(2).fill('GET /agent/a/runs/r1/chunks?at=1.1'))
    expect(clock.waiting).toBe(0)
  })

  it('is not cut while the caller does not read', async () => {
    const clock = await startSilent()
    const chunks = createHttpClient({ baseUrl: server.url, clock }).stream(route, {})
    await chunks.next()
    await clock.advance(60_000)
    expect(clock.waiting).toBe(0)
    expect(server.requests).toEqual([route])
    await chunks.return()
  })
})

describe('a retraction', () => {
  it('fails client.stream with RUN_RETRACTED unless it has onRetract', async () => {
    const client = await start(1, 2, 3)
    server.faults = [{ bytes: 4, onSent: () => setImmediate(() => server.takeOver(1)) }]
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const chunk of client.stream(route, {})) seen.push(chunk)
    })()
    expect(await failure(reading)).toMatchObject({ code: 'RUN_RETRACTED', status: 0 })
    expect(seen).toEqual([1, 2])
    expect(server.requests).toHaveLength(2)
  })

  it('removes the chunks from the result of client.call', async () => {
    const client = await start(1, 2, 3)
    server.faults = [{ bytes: 4, onSent: () => setImmediate(() => server.takeOver(0, 'a')) }]
    const kept: number[] = []
    expect(await client.call(route, {}, { onRetract: (keep) => kept.push(keep) })).toEqual(['a'])
    expect(kept).toEqual([0])
  })

  it('can be an event of the stream', async () => {
    const client = await start()
    const head = { 'content-type': CONTENT_TYPE.sse, 'run-id': 'r1', 'run-position': '1.0' }
    const retraction = joinEvent({ keep: 1 }, { event: 'retract', id: '2.1' })
    const text = ['a', 'b', 'c'].map((chunk, n) => joinEvent(chunk, { id: `1.${n + 1}` })).join('') + retraction
    server.intercept = (_request, response) => {
      if (server.requests.length > 1) return false
      response.writeHead(200, head).write(text + joinEvent('B', { id: '2.2' }), () => response.destroy())
      return true
    }
    server.epoch = 2
    server.chunks = ['a', 'B', 'C']
    const events: unknown[] = []
    const options = { headers: { accept: CONTENT_TYPE.sse }, onRetract: (keep: number) => events.push({ keep }) }
    for await (const chunk of client.stream(route, {}, options)) events.push(chunk)
    expect(events).toEqual(['a', 'b', 'c', { keep: 1 }, 'B', 'C'])
    expect(server.requests[1]).toBe('GET /agent/a/runs/r1/chunks?at=2.2')
  })

  it('removes only received chunks from the result of client.call from a position', async () => {
    const client = await start(1, 2, 3, 4)
    const read = (at: string, onRetract?: (keep: number) => unknown): Promise<unknown> =>
      client.call('GET /agent/a/runs/:run/chunks', { params: { run: 'r1' }, query: { at }, onRetract })
    server.faults = [{ bytes: 4, onSent: () => setImmediate(() => server.takeOver(3, 'd', 'e')) }]
    expect(await read('1.2')).toEqual([3, 'd', 'e'])
    const kept: number[] = []
    // The caller has chunks that are void.
    expect(await failure(read('1.4'))).toMatchObject({ code: 'RUN_RETRACTED' })
    expect(await read('1.4', (keep) => kept.push(keep))).toEqual(['d', 'e'])
    server.faults = [{ bytes: 4, onSent: () => setImmediate(() => server.takeOver(1, 'b')) }]
    expect(await read('2.2', (keep) => kept.push(keep))).toEqual(['b'])
    expect(kept).toEqual([3, 1])
  })

  it('throws what onRetract throws', async () => {
    const client = await start(1, 2, 3)
    server.faults = [{ bytes: 4, onSent: () => setImmediate(() => server.takeOver(1)) }]
    const options = {
      onRetract() {
        throw new RangeError('too late')
      },
    }
    expect(await failure(client.call(route, {}, options))).toBeInstanceOf(RangeError)
  })
})
