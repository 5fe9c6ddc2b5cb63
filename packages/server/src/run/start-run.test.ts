import { AsyncLocalStorage } from 'node:async_hooks'
import { ApiError } from '@sdk/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAgent, memoryRuns } from '../index.ts'
import { closeAll, count, ended, gate, open, passTime, positionOf, readLines } from './run-app.test.fixture.ts'

afterEach(closeAll)

describe('POST /agent/{name} of a durable agent', () => {
  it('streams, with the id and the position of the run', async () => {
    const app = open([count])
    const response = await app.send('POST /agent/count', { body: { to: 3 } })
    expect(response.status).toBe(200)
    expect(positionOf(response)).toEqual({ epoch: 1, index: 0 })
    const id = response.headers.get('run-id') ?? ''
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(await readLines(response)).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
    expect(await app.run(`/agent/count/runs/${id}`)).toEqual({
      id,
      status: 'done',
      waiting: null,
      stream: true,
      attempt: 1,
      input: null,
      output: null,
      error: null,
      createdAt: expect.any(String),
      endedAt: expect.any(String),
    })
  })

  it('returns a value, an error or 202', async () => {
    const value = createAgent('value', { durable: true, handler: async (ctx) => ctx.step('add', () => ({ sum: 3 })) })
    const fails = createAgent('fails', {
      durable: true,
      handler() {
        throw new ApiError('TOO_EXPENSIVE', 'no', { status: 409, details: [{ code: 'A', message: 'b' }] })
      },
    })
    const breaks = createAgent('breaks', {
      durable: true,
      handler() {
        throw new Error('secret')
      },
    })
    const app = open([value, fails, breaks])
    expect(await app.json('POST /agent/value')).toEqual({ status: 200, body: { sum: 3 } })
    expect(await app.json('POST /agent/fails')).toEqual({
      status: 409,
      body: { error: { code: 'TOO_EXPENSIVE', message: 'no', details: [{ code: 'A', message: 'b' }] } },
    })
    const broken = await app.json('POST /agent/breaks')
    expect(broken.status).toBe(500)
    expect(JSON.stringify(broken)).not.toContain('secret')
    const response = await app.send('POST /agent/value', { headers: { prefer: 'respond-async' } })
    expect(response.status).toBe(202)
    const location = response.headers.get('location') ?? ''
    expect(location).toBe(`/agent/value/runs/${response.headers.get('run-id')}`)
    expect(await ended(app, location)).toMatchObject({ status: 'done', output: { sum: 3 }, stream: false })
  })

  it('responds with 202 if a value takes longer than the client wants to wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { opened, open: release } = gate()
    const slow = createAgent('slow', { durable: true, handler: () => opened.then(() => 7) })
    const app = open([slow, count])
    const post = (prefer: string): Promise<Response> => app.send('POST /agent/slow', { headers: { prefer } })
    const [response, both] = await passTime(Promise.all(['wait=1', 'respond-async, wait="1"; x'].map(post)))
    vi.useRealTimers()
    expect([response?.status, both?.status]).toEqual([202, 202])
    expect(response?.headers.get('preference-applied')).toBe('wait=1')
    const location = response?.headers.get('location') ?? ''
    expect(location).toBe(`/agent/slow/runs/${response?.headers.get('run-id')}`)
    release()
    expect(await ended(app, location)).toMatchObject({ status: 'done', output: 7 })
    // Returned in time, malformed, and ignored for a stream.
    for (const prefer of ['wait=30', 'wait=-1', 'wait=', 'wait=1e9'])
      expect(await app.json('POST /agent/slow', { headers: { prefer } })).toEqual({ status: 200, body: 7 })
    const stream = await app.send('POST /agent/count', { body: { to: 1 }, headers: { prefer: 'wait=0' } })
    expect(await readLines(stream)).toEqual([{ number: 1 }])
  })

  it('ends the stream of a failed run with the error', async () => {
    const agent = createAgent('fails', {
      durable: true,
      async *handler() {
        yield 1
        throw new ApiError('CONFLICT', 'no')
      },
    })
    const response = await open([agent]).send('POST /agent/fails')
    expect(response.status).toBe(200)
    expect(await readLines(response)).toEqual([1, { error: { code: 'CONFLICT', message: 'no', details: [] } }])
  })

  it('rejects invalid input with 400 and creates no run', async () => {
    const app = open([count])
    expect(await app.json('POST /agent/count', { body: { to: 'x' }, user: 'ada' })).toMatchObject({ status: 400 })
    expect(await app.json('GET /agent/count/runs', { user: 'ada' })).toMatchObject({ body: { data: [] } })
  })

  it('rejects an input that is too large with 413', async () => {
    const agent = createAgent('echo', { durable: true, handler: () => 1 })
    const text = 'x'.repeat(1_048_576)
    expect(await open([agent]).json('POST /agent/echo', { body: text })).toMatchObject({ status: 413 })
  })

  it('rejects a run with 429 if the caller has 1,000 unfinished runs', async () => {
    const app = open([count])
    const start = (user: string): Promise<Response> => app.send('POST /agent/count', { body: { to: 1 }, user })
    const run = { agent: 'other', userId: 'ada', caller: 'user ada', key: null, print: '', thread: null, input: null }
    const rest = { address: '', trace: null, isStream: false, keepFor: 1, process: null }
    for (let id = 0; id < 1_000; id++) await app.store.create({ ...run, ...rest, id: `${id}` })
    const rejected = await start('ada')
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await rejected.json()).toMatchObject({ error: { code: 'TOO_MANY_RUNS' } })
    expect((await start('bob')).status).toBe(200)
    await app.store.cancel('0', '')
    expect((await start('ada')).status).toBe(200)
  })

  it('joins the run of the same Idempotency-Key', async () => {
    const app = open([count])
    const headers = { 'idempotency-key': 'k' }
    const [one, two] = await Promise.all([
      app.send('POST /agent/count', { body: { to: 2 }, user: 'ada', headers }),
      app.send('POST /agent/count', { body: { to: 2 }, user: 'ada', headers }),
    ])
    expect(one.headers.get('run-id')).toBe(two.headers.get('run-id'))
    expect(await readLines(one)).toEqual(await readLines(two))
    expect(await app.json('POST /agent/count', { body: { to: 3 }, user: 'ada', headers })).toMatchObject({
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    })
    const other = await app.send('POST /agent/count', { body: { to: 2 }, user: 'bob', headers })
    expect(other.headers.get('run-id')).not.toBe(one.headers.get('run-id'))
  })

  it('requires a key from guests that others cannot guess', async () => {
    const app = open([count])
    const short = await app.json('POST /agent/count', { body: { to: 1 }, headers: { 'idempotency-key': 'k' } })
    expect(short).toMatchObject({ status: 400 })
    const headers = { 'idempotency-key': '0123456789abcdef' }
    const [one, two] = await Promise.all([1, 2].map(() => app.send('POST /agent/count', { body: { to: 1 }, headers })))
    expect(one?.headers.get('run-id')).toBe(two?.headers.get('run-id'))
  })

  it('does not let a guest with other credentials join a run by its key', async () => {
    const app = open([count], undefined, { hasSession: false })
    const post = async (credentials: Record<string, string>): Promise<string | null> => {
      const headers = { ...credentials, 'idempotency-key': 'invoice-2026-000123' }
      return (await app.send('POST /agent/count', { body: { to: 1 }, headers })).headers.get('run-id')
    }
    const callers = [{}, { authorization: 'Key a' }, { authorization: 'Key b' }, { cookie: 'a=1' }, { cookie: 'a=2' }]
    const ids = await Promise.all(callers.map(post))
    expect(new Set(ids).size).toBe(callers.length)
    expect(await Promise.all(callers.map(post))).toEqual(ids)
  })

  it('runs one run of a thread at a time', async () => {
    const { opened, open: release } = gate()
    const chat = createAgent('chat', { durable: true, handler: () => opened })
    const app = open([chat])
    const headers = { 'run-thread': 't1', prefer: 'respond-async' }
    const first = await app.send('POST /agent/chat', { user: 'ada', headers })
    const id = first.headers.get('run-id')
    const second = await app.send('POST /agent/chat', { user: 'ada', headers })
    expect(second.status).toBe(409)
    expect(second.headers.get('run-id')).toBe(id)
    expect(await second.json()).toMatchObject({ error: { code: 'RUN_IN_PROGRESS', details: [{ run: id }] } })
    expect(await app.json('GET /agent/chat/runs?thread=t1', { user: 'ada' })).toMatchObject({
      body: { data: [{ id }] },
    })
    expect(await app.json('POST /agent/chat', { headers })).toMatchObject({ status: 401 })
    const bad = { 'run-thread': 'a b' }
    expect(await app.json('POST /agent/chat', { user: 'ada', headers: bad })).toMatchObject({ status: 400 })
    release()
    await ended(app, `/agent/chat/runs/${id}`, 'ada')
    expect((await app.send('POST /agent/chat', { user: 'ada', headers })).status).toBe(202)
  })

  it('gives the handler no request', async () => {
    const seen: unknown[] = []
    const agent = createAgent('see', {
      durable: true,
      async handler(ctx) {
        seen.push(ctx.header('authorization'), ctx.auth?.via, ctx.run.attempt, (await ctx.auth?.getUser())?.id)
        return String(
          await Promise.resolve()
            .then(() => ctx.request)
            .catch((error: unknown) => error),
        )
      },
    })
    const { body } = await open([agent]).json('POST /agent/see', { user: 'ada' })
    expect(seen).toEqual([null, 'run', 1, 'ada'])
    expect(body).toContain('ctx.request cannot be used in a durable agent')
  })

  it('starts a run outside the step that calls the app', async () => {
    const stored = new AsyncLocalStorage<string>()
    const inner = createAgent('inner', {
      durable: true,
      handler: (ctx) => ctx.step('inner', () => stored.getStore() ?? 'none'),
    })
    const outer = createAgent('outer', {
      durable: true,
      handler: (ctx) => ctx.step('outer', () => stored.run('outer', () => app.json('POST /agent/inner'))),
    })
    const app = open([inner, outer])
    expect((await app.json('POST /agent/outer')).body).toEqual({ status: 200, body: 'none' })
  })

  it('queues runs beyond the concurrency of the agent', async () => {
    const gates = [gate(), gate()]
    let running = 0
    const agent = createAgent('one', {
      durable: { concurrency: 1 },
      async handler(ctx) {
        await ctx.step('wait', () => gates[running++]?.opened)
      },
    })
    const app = open([agent])
    const post = (): Promise<Response> => app.send('POST /agent/one', { headers: { prefer: 'respond-async' } })
    const [first, second] = [await post(), await post()]
    expect(await second.json()).toMatchObject({ status: 'queued', attempt: 0 })
    gates[0]?.open()
    expect(await ended(app, first.headers.get('location') ?? '')).toMatchObject({ status: 'done' })
    await expect.poll(() => running).toBe(2)
    gates[1]?.open()
    expect(await ended(app, second.headers.get('location') ?? '')).toMatchObject({ status: 'done', attempt: 1 })
  })

  it('keeps the concurrency of the agent when many requests arrive at once', async () => {
    let [running, most, done] = [0, 0, 0]
    const agent = createAgent('one', {
      durable: { concurrency: 1 },
      async handler() {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        done += 1
      },
    })
    const store = memoryRuns()
    const [create, arrived] = [store.create.bind(store), gate()]
    let calls = 0
    store.create = async (run) => {
      calls += 1
      if (calls === 20) arrived.open()
      await arrived.opened
      return create(run)
    }
    const app = open([agent], store)
    const headers = { prefer: 'respond-async' }
    await Promise.all(Array.from({ length: 20 }, () => app.send('POST /agent/one', { headers })))
    await expect.poll(() => done).toBe(20)
    expect(most).toBe(1)
  })
})

describe('createAgent with durable', () => {
  it.each([
    [{ keepFor: '3 weeks' }, 'durable.keepFor must be a duration'],
    [{ keepFor: '9999d' }, 'durable.keepFor must be a duration'],
    [{ retries: -1 }, 'durable.retries must be an integer'],
    [{ concurrency: 0 }, 'durable.concurrency must be an integer'],
    [{ access: true }, 'durable.access must be a function'],
    [{ keep: '1d' }, 'durable may contain only'],
    ['yes', 'durable must be true or options'],
  ])('rejects %j', (durable, message) => {
    expect(() => createAgent('a', { durable: durable as never, handler: () => 1 })).toThrow(message)
  })
})
