import { ApiError, encodeCursor, type Run } from '@sdk/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, memoryRuns } from '../index.ts'
import { closeAll, count, gate, open, positionOf, readLines } from './run-app.test.fixture.ts'

afterEach(closeAll)

describe('the routes of a run', () => {
  it('hides the run of a user from everyone else, on all routes', async () => {
    const { opened, open: release } = gate()
    const app = open([createAgent('slow', { durable: true, handler: () => opened })])
    const headers = { prefer: 'respond-async', 'idempotency-key': 'the key of a user', 'run-thread': 't' }
    const path = (await app.send('POST /agent/slow', { user: 'ada', headers })).headers.get('location') ?? ''
    const routes = [`GET ${path}`, `GET ${path}?wait=1`, `GET ${path}/chunks`, `GET ${path}/chunks?at=9.9`]
    for (const route of [...routes, `DELETE ${path}`, 'GET /agent/slow/runs/x', `GET ${path.slice(0, -1)}`]) {
      expect(await app.json(route)).toMatchObject({ status: 404 })
      expect(await app.json(route, { user: 'bob' })).toMatchObject({ status: 404 })
    }
    expect((await app.send(`HEAD ${path}`, { user: 'bob' })).status).toBe(404)
    expect(await app.run(path, 'ada')).toMatchObject({ status: 'running' })
    expect(await app.json('GET /agent/slow/runs')).toMatchObject({ status: 401 })
    for (const query of ['', '?thread=t'])
      expect(await app.json(`GET /agent/slow/runs${query}`, { user: 'bob' })).toMatchObject({ body: { data: [] } })
    // The same key and thread of another user belong to another run.
    const other = (await app.send('POST /agent/slow', { user: 'bob', headers })).headers.get('location')
    expect(other).not.toBe(path)
    release()
  })

  it('lets durable.access show a run to others, who cannot cancel it', async () => {
    const agent = createAgent('see', { durable: { access: ({ user }) => user?.id === 'boss' }, handler: () => 1 })
    const app = open([agent])
    const response = await app.send('POST /agent/see', { user: 'ada' })
    const path = `/agent/see/runs/${response.headers.get('run-id')}`
    expect(await app.json(`GET ${path}`, { user: 'boss' })).toMatchObject({ status: 200 })
    expect(await app.json(`DELETE ${path}`, { user: 'boss' })).toMatchObject({ status: 403 })
    expect(await app.json(`GET ${path}`, { user: 'bob' })).toMatchObject({ status: 404 })
  })

  it('returns the run of a guest to every caller that has its id', async () => {
    const app = open([count])
    const response = await app.send('POST /agent/count', { body: { to: 1 } })
    const id = response.headers.get('run-id')
    expect(await app.json(`GET /agent/count/runs/${id}`, { user: 'bob' })).toMatchObject({ status: 200 })
    expect(await app.json('GET /agent/count/runs', { user: 'bob' })).toMatchObject({ body: { data: [] } })
  })

  it('gives two guests behind one address different runs, and lists none of them', async () => {
    const app = open([count])
    const start = (headers: Record<string, string>): Promise<Response> =>
      app.send('POST /agent/count', { body: { to: 1 }, headers: { ...headers, prefer: 'respond-async' } })
    const keys = ['the key of one guest', 'the key of another'].map((key) => ({ 'idempotency-key': key }))
    const started = await Promise.all([start({}), start({}), ...keys.map(start)])
    expect(new Set(started.map((response) => response.headers.get('run-id'))).size).toBe(4)
    expect(await app.json('GET /agent/count/runs')).toMatchObject({ status: 401 })
    expect(await app.json('GET /agent/count/runs?thread=t')).toMatchObject({ status: 401 })
    expect((await start({ 'run-thread': 't' })).status).toBe(401)
  })

  it('streams the chunks from every position', async () => {
    const app = open([count])
    const first = await app.send('POST /agent/count', { body: { to: 4 } })
    await first.text()
    const path = `/agent/count/runs/${first.headers.get('run-id')}/chunks`
    for (let index = 0; index <= 4; index++) {
      const response = await app.send(`GET ${path}?at=1.${index}`)
      expect(positionOf(response)).toEqual({ epoch: 1, index })
      expect(await readLines(response)).toEqual([1, 2, 3, 4].slice(index).map((number) => ({ number })))
    }
    const invalid = [
      '1.5',
      '2.0',
      '0.1',
      'x',
      '1',
      '',
      '-1.0',
      '1.-1',
      '1e0.0',
      `1.${'9'.repeat(10)}`,
      `${'9'.repeat(400)}.0`,
    ]
    for (const at of invalid)
      expect(await app.json(`GET ${path}?at=${at}`)).toMatchObject({
        status: 400,
        body: { error: { details: [{ name: 'at' }] } },
      })
  })

  it('sends server-sent events with ids, and 204 at the end', async () => {
    const app = open([count])
    const first = await app.send('POST /agent/count', { body: { to: 2 }, headers: { accept: 'text/event-stream' } })
    expect(await first.text()).toBe('id: 1.0\n\nid: 1.1\ndata: {"number":1}\n\nid: 1.2\ndata: {"number":2}\n\n:end\n\n')
    const path = `GET /agent/count/runs/${first.headers.get('run-id')}/chunks`
    const headers = { accept: 'text/event-stream', 'last-event-id': '1.1' }
    expect(await (await app.send(path, { headers })).text()).toBe('id: 1.1\n\nid: 1.2\ndata: {"number":2}\n\n:end\n\n')
    expect((await app.send(path, { headers: { ...headers, 'last-event-id': '1.2' } })).status).toBe(204)
    expect((await app.send(path, { headers: { ...headers, 'last-event-id': 'x' } })).status).toBe(400)
  })

  it('marks the end of a stream if the run has ended', async () => {
    const broken = createAgent('broken', {
      durable: true,
      async *handler() {
        yield 1
        throw new ApiError('CONFLICT', 'no')
      },
    })
    const app = open([count, broken])
    expect(await (await app.send('POST /agent/count', { body: { to: 1 } })).text()).toBe('{"number":1}\n \n')
    expect(await (await app.send('POST /agent/broken')).text()).toMatch(/^1\n\{"error":.*\}\n \n$/)
  })

  it('lists runs in pages', async () => {
    const app = open([count])
    for (let time = 0; time < 3; time++)
      await (await app.send('POST /agent/count', { body: { to: 1 }, user: 'ada' })).text()
    type RunPage = { data: Run[]; pagination: { nextCursor: string | null; hasMore: boolean } }
    const first = (await app.json('GET /agent/count/runs?limit=2', { user: 'ada' })).body as RunPage
    expect(first.pagination.hasMore).toBe(true)
    const path = `GET /agent/count/runs?limit=2&cursor=${first.pagination.nextCursor}`
    const rest = (await app.json(path, { user: 'ada' })).body as RunPage
    expect(new Set([...first.data, ...rest.data].map(({ id }) => id)).size).toBe(3)
    expect(rest.pagination).toMatchObject({ hasMore: false, nextCursor: null })
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'thread=a%20b'])
      expect(await app.json(`GET /agent/count/runs?${query}`, { user: 'ada' })).toMatchObject({ status: 400 })
  })

  it('ends a page early if the data of its runs is large', async () => {
    const echo = createAgent('echo', { durable: true, input: z.string(), handler: (_ctx, text) => text })
    const app = open([echo])
    const text = 'x'.repeat(900_000)
    for (let time = 0; time < 12; time++) await app.json('POST /agent/echo', { body: text, user: 'ada' })
    const sizes: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await app.json(`GET /agent/echo/runs?limit=10${query}`, { user: 'ada' })
      const { data, pagination } = body as { data: Run[]; pagination: { nextCursor: string | null } }
      sizes.push(data.length)
      cursor = pagination.nextCursor
    }
    expect(sizes).toEqual([5, 5, 2])
  })

  it.each([
    ['2026-02-30T00:00:00.000Z', 'a'],
    ['2026-99-99T99:99:99.999Z', 'a'],
    ['0000-01-01T00:00:00.000Z', 'a'],
    ['2026-01-01T00:00:00.000Z', 'a\0'],
  ])('rejects a forged cursor with the values %j and %j, which the database would reject', async (time, digit) => {
    const app = open([count])
    for (const [path, list] of [
      ['runs', 'runs count  '],
      ['threads', 'threads count'],
    ] as const) {
      const cursor = encodeCursor({ list, direction: 'next', after: [time, digit.padEnd(32, 'a')] })
      expect(await app.json(`GET /agent/count/${path}?cursor=${cursor}`, { user: 'ada' })).toMatchObject({
        status: 400,
        body: { error: { details: [{ code: 'INVALID_CURSOR' }] } },
      })
    }
  })

  it('returns the newest run of a thread to its user', async () => {
    let time = Date.now()
    const agent = createAgent('brief', { durable: { keepFor: '1h' }, handler: () => 1 })
    const app = open([agent, count], memoryRuns({ now: () => time }))
    const start = async (): Promise<string | null> => {
      time += 1
      const response = await app.send('POST /agent/brief', { user: 'ada', headers: { 'run-thread': 't1' } })
      return response.headers.get('run-id')
    }
    const route = 'GET /agent/brief/threads/t1'
    expect(await app.json(route, { user: 'ada' })).toMatchObject({ status: 404 })
    await start()
    const id = await start()
    const run = { id, status: 'done', output: 1 }
    expect(await app.json(route, { user: 'ada' })).toMatchObject({ status: 200, body: { state: null, run } })
    expect(await app.json(route)).toMatchObject({ status: 401 })
    expect(await app.json(route, { user: 'bob' })).toMatchObject({ status: 404 })
    expect(await app.json('GET /agent/count/threads/t1', { user: 'ada' })).toMatchObject({ status: 404 })
    expect(await app.json('GET /agent/brief/threads/a%20b', { user: 'ada' })).toMatchObject({ status: 400 })
    time += 3_601_000
    await app.store.sweep([])
    expect(await app.json(route, { user: 'ada' })).toMatchObject({ status: 200, body: { run: null } })
  })

  it('waits for the end of a run', async () => {
    const { opened, open: release } = gate()
    const agent = createAgent('slow', { durable: true, handler: () => opened.then(() => 7) })
    const app = open([agent])
    const response = await app.send('POST /agent/slow', { headers: { prefer: 'respond-async' } })
    const path = response.headers.get('location') ?? ''
    expect(await app.run(`${path}?wait=0`)).toMatchObject({ status: 'running' })
    const waiting = app.run(`${path}?wait=30`)
    release()
    expect(await waiting).toMatchObject({ status: 'done', output: 7 })
    expect(await app.json(`GET ${path}?wait=61`)).toMatchObject({ status: 400 })
  })

  it('cancels a run, whose signal aborts', async () => {
    const { opened: started, open: onStart } = gate()
    let signal: AbortSignal | undefined
    const agent = createAgent('slow', {
      durable: true,
      async *handler(ctx) {
        signal = ctx.signal
        yield 1
        onStart()
        await new Promise(() => {})
      },
    })
    const app = open([agent])
    const response = await app.send('POST /agent/slow')
    await started
    const path = `/agent/slow/runs/${response.headers.get('run-id')}`
    expect((await app.send(`DELETE ${path}`)).status).toBe(204)
    expect((await app.send(`DELETE ${path}`)).status).toBe(204)
    expect(await app.run(path)).toMatchObject({ status: 'cancelled', error: null })
    expect(await readLines(response)).toMatchObject([1, { error: { code: 'RUN_CANCELLED' } }])
    await expect.poll(() => signal?.aborted).toBe(true)
  })

  it('responds with 410 after the retention', async () => {
    let time = Date.now()
    const agent = createAgent('brief', { durable: { keepFor: '1h' }, handler: () => 1 })
    const app = open([agent], memoryRuns({ now: () => time }))
    const response = await app.send('POST /agent/brief')
    const path = `/agent/brief/runs/${response.headers.get('run-id')}`
    time += 3_601_000
    await app.store.sweep([])
    for (const route of [`GET ${path}`, `GET ${path}/chunks`])
      expect(await app.json(route)).toMatchObject({ status: 410, body: { error: { code: 'RUN_GONE' } } })
  })
})
