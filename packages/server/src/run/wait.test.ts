import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isApiError } from '@sdk/protocol'
import { createAgent, memoryRuns } from '../index.ts'
import { closeAll, createClockStore, ended, gate, open, readLines, type RunApp } from './run-app.test.fixture.ts'

afterEach(closeAll)

const events = { approval: z.object({ ok: z.boolean(), at: z.coerce.date().optional() }) }

const buy = createAgent('buy', {
  durable: { access: ({ user }) => user?.id === 'boss' },
  input: z.object({ cost: z.number() }),
  events,
  async handler(ctx, { cost }) {
    const { ok, at } = await ctx.wait('approval', { ask: { cost }, timeout: '3d' })
    return { ok, isDate: at instanceof Date, attempt: ctx.run.attempt }
  },
})

async function start(app: RunApp, user?: string): Promise<string> {
  const { status, body } = await app.json('POST /agent/buy', { body: { cost: 7 }, ...(user !== undefined && { user }) })
  expect(status).toBe(202)
  return `/agent/buy/runs/${(body as { id: string }).id}`
}

describe('ctx.wait', () => {
  it('continues the run with the value of the first event', async () => {
    const app = open([buy])
    const path = await start(app)
    expect(await app.run(path)).toMatchObject({
      status: 'waiting',
      waiting: { event: 'approval', id: null, ask: { cost: 7 }, until: expect.stringMatching(/Z$/) },
    })
    const invalid = await app.json(`POST ${path}/events/approval`, { body: { ok: 'yes' } })
    expect(invalid).toMatchObject({ status: 400, body: { error: { details: [{ pointer: '/ok' }] } } })
    expect(await app.json(`POST ${path}/events/approval`)).toMatchObject({ status: 400 })
    expect(await app.run(path)).toMatchObject({ status: 'waiting', attempt: 1 })
    const body = { ok: true, at: '2026-01-01T00:00:00.000Z' }
    expect(await app.json(`POST ${path}/events/approval`, { body })).toEqual({ status: 204, body: null })
    const output = { ok: true, isDate: true, attempt: 2 }
    expect(await ended(app, path)).toMatchObject({ status: 'done', output, waiting: null })
    expect(await app.json(`POST ${path}/events/approval`, { body })).toMatchObject({ status: 204 })
    const other = await app.json(`POST ${path}/events/approval`, { body: { ok: false } })
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'EVENT_SENT' } } })
    const late = await app.json(`POST ${path}/events/approval?id=2`, { body })
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'RUN_ENDED' } } })
    expect(await app.json(`POST ${path}/events/other`, { body })).toMatchObject({ status: 404 })
    expect(await app.json(`POST ${path}/events/approval?id=a%20b`, { body })).toMatchObject({ status: 400 })
    const large = { ok: true, at: ' '.repeat(1_048_576) }
    expect((await app.json(`POST ${path}/events/approval?id=3`, { body: large })).status).toBeGreaterThanOrEqual(400)
    expect(await app.json('POST /agent/buy/runs/0/events/approval', { body })).toMatchObject({ status: 404 })
  })

  it('returns an event that was sent before the wait, and waits for each id of an event', async () => {
    const { opened, open: proceed } = gate()
    const agent = createAgent('two', {
      durable: true,
      events,
      async *handler(ctx) {
        await ctx.step('begin', () => opened)
        yield (await ctx.wait('approval')).ok
        yield* [ctx.run.attempt, (await ctx.wait('approval', { id: 'second' })).ok]
      },
    })
    const app = open([agent])
    const response = await app.send('POST /agent/two', { headers: { prefer: 'respond-async' } })
    const path = response.headers.get('location') ?? ''
    expect(await app.json(`POST ${path}/events/approval`, { body: { ok: true } })).toMatchObject({ status: 204 })
    proceed()
    await expect.poll(async () => (await app.run(path)).waiting).toMatchObject({ event: 'approval', id: 'second' })
    expect(await app.json(`POST ${path}/events/approval?id=second`, { body: { ok: false } })).toMatchObject({
      status: 204,
    })
    await ended(app, path)
    expect(await readLines(await app.send(`GET ${path}/chunks`))).toEqual([true, 2, false])
  })

  it('is noticed by a request that waits for the run', async () => {
    const agent = createAgent('two', {
      durable: true,
      events,
      async handler(ctx) {
        await ctx.wait('approval')
        await ctx.wait('approval', { id: 'second' })
      },
    })
    const app = open([agent])
    const response = await app.send('POST /agent/two', { headers: { prefer: 'respond-async' } })
    const path = response.headers.get('location') ?? ''
    const began = performance.now()
    const next = async (): Promise<unknown> => (await app.json(`GET ${path}?wait=30`)).body
    expect(await next()).toMatchObject({ status: 'waiting', waiting: { id: null } })
    const waiting = next()
    await app.json(`POST ${path}/events/approval`, { body: { ok: true } })
    expect(await waiting).toMatchObject({ status: 'running', waiting: null })
    expect(await next()).toMatchObject({ status: 'waiting', waiting: { id: 'second' } })
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  it('accepts a limited number of events', async () => {
    const store = memoryRuns()
    const app = open([buy], store)
    const path = await start(app)
    const run = path.split('/').at(-1) ?? ''
    for (let index = 0; index < 1_000; index++)
      await store.send({ run, key: `approval ${index}`, value: '1', print: '' }, '')
    const full = await app.json(`POST ${path}/events/approval`, { body: { ok: true } })
    expect(full).toMatchObject({ status: 409, body: { error: { code: 'RUN_LIMIT_EXCEEDED' } } })
  })

  it('throws EVENT_TIMEOUT after the timeout, and then rejects the event', async () => {
    const { store, advance } = createClockStore()
    const seen: unknown[] = []
    const agent = createAgent('late', {
      durable: true,
      events,
      async handler(ctx) {
        const answer = await ctx.wait('approval', { timeout: '3d' }).catch((error: unknown) => error)
        seen.push(isApiError(answer) && answer.code)
        await ctx.wait('approval', { id: 'again', timeout: 0 })
      },
    })
    const app = open([agent], store)
    const { body } = await app.json('POST /agent/late')
    const path = `/agent/late/runs/${(body as { id: string }).id}`
    advance(3 * 86_400_000)
    expect(await ended(app, path)).toMatchObject({ status: 'failed', error: { code: 'EVENT_TIMEOUT' } })
    expect(seen).toEqual(['EVENT_TIMEOUT'])
    const late = await app.json(`POST ${path}/events/approval`, { body: { ok: true } })
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'EVENT_SENT' } } })
  })

  it('continues at the first of several waits and sleeps', async () => {
    const agent = createAgent('race', {
      durable: true,
      events: { ...events, stop: z.object({ why: z.string() }) },
      handler: (ctx) =>
        Promise.race([ctx.sleep('long', '1d').then(() => 'slept'), ctx.wait('approval'), ctx.wait('stop')]),
    })
    const app = open([agent])
    const { body } = await app.json('POST /agent/race')
    expect(body).toMatchObject({ waiting: { event: 'stop', until: expect.stringMatching(/Z$/) } })
    const path = `/agent/race/runs/${(body as { id: string }).id}`
    await app.json(`POST ${path}/events/stop`, { body: { why: 'late' } })
    expect(await ended(app, path)).toMatchObject({ status: 'done', output: { why: 'late' } })
  })

  it('lets users with access list the waiting runs and send events', async () => {
    const app = open([buy])
    const [path, other, guest] = [await start(app, 'ada'), await start(app, 'bob'), await start(app)]
    const ids = async (user: string, query = ''): Promise<string[]> => {
      const { body } = await app.json(`GET /agent/buy/runs?waiting=approval${query}`, { user })
      return (body as { data: { id: string }[] }).data.map(({ id }) => `/agent/buy/runs/${id}`)
    }
    expect((await ids('boss')).toSorted()).toEqual([path, other, guest].toSorted())
    expect(await ids('boss', '&limit=2')).toHaveLength(2)
    expect(await ids('ada')).toEqual([path])
    expect(await ids('ada', '&limit=1')).toEqual([path])
    // A cursor would contain the id of a run that the caller may not see.
    expect(await app.json('GET /agent/buy/runs?waiting=approval&limit=1', { user: 'eve' })).toMatchObject({
      body: { data: [], pagination: { hasMore: false, nextCursor: null } },
    })
    expect(await app.json('GET /agent/buy/runs?waiting=approval')).toMatchObject({ status: 401 })
    const body = { ok: true }
    expect(await app.json(`POST ${path}/events/approval`, { body, user: 'eve' })).toMatchObject({ status: 404 })
    expect(await app.json(`POST ${path}/events/approval`, { body })).toMatchObject({ status: 404 })
    expect(await app.json(`POST ${path}/events/approval`, { body, user: 'boss' })).toMatchObject({ status: 204 })
    await ended(app, path, 'ada')
    expect((await ids('boss')).toSorted()).toEqual([other, guest].toSorted())
  })

  it.each([
    [
      'an event twice',
      async (ctx: WaitTest) => [await ctx.wait('approval', { timeout: 0 }).catch(() => 0), await ctx.wait('approval')],
      'pass a different { id }',
    ],
    ['an event that is not declared', (ctx: WaitTest) => ctx.wait('toString'), "declare it in the agent's events"],
    ['an invalid id', (ctx: WaitTest) => ctx.wait('approval', { id: 'a b' }), 'the id of a wait must have'],
    [
      'a large ask',
      (ctx: WaitTest) => ctx.wait('approval', { ask: 'x'.repeat(65_536) }),
      'the ask of a wait must have',
    ],
    ['an invalid timeout', (ctx: WaitTest) => ctx.wait('approval', { timeout: 'soon' }), 'got soon'],
    [
      'an event in a step',
      (ctx: WaitTest) => ctx.step('a', () => ctx.wait('approval')),
      'call ctx.wait in the handler',
    ],
  ])('cannot wait for %s', async (_name, handler, message) => {
    const app = open([createAgent('test', { durable: true, events, handler } as never)])
    expect(await app.json('POST /agent/test')).toMatchObject({ status: 500 })
    expect(app.lines.map((line) => JSON.stringify(line).replaceAll('\\"', '"')).join('\n')).toContain(message)
  })

  it('cannot be called inside a transaction', async () => {
    const store = Object.assign(memoryRuns(), { isInTransaction: () => true })
    const app = open([buy], store)
    expect(await app.json('POST /agent/buy', { body: { cost: 1 } })).toMatchObject({ status: 500 })
    expect(JSON.stringify(app.lines)).toContain('call ctx.wait before or after ctx.transaction')
  })

  it('validates events where they are declared', () => {
    const handler = (): number => 1
    const create = (definition: object) => () => createAgent('test', { handler, ...definition } as never)
    expect(create({ events })).toThrow('events must be used with durable: true')
    expect(create({ durable: true, events: { 'a b': z.string() } })).toThrow(`an event's name must start with a-z`)
    expect(create({ durable: true, events: { a: {} } })).toThrow('must be a Standard Schema')
  })
})

interface WaitTest {
  wait(event: string, options?: object): Promise<unknown>
  step(name: string, work: () => unknown): Promise<unknown>
}
