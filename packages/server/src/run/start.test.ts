import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, createRouter, memoryRuns, type Agent, type RunStore } from '../index.ts'
import type { AgentRef } from '../context/start.ts'
import { closeAll, createClockStore, deleted, ended, gate, open, type RunApp } from './run-app.test.fixture.ts'

afterEach(closeAll)

/** Creates an agent that records its inputs and users. */
function createReport(seen: unknown[] = []): AgentRef<{ input: { id: number; at?: unknown }; durable: true }> {
  return createAgent('report', {
    durable: true,
    input: z.object({ id: z.number(), at: z.coerce.date().optional(), copies: z.number().default(1) }),
    async handler(ctx, { id, copies, at }) {
      seen.push([id, copies, at, (await ctx.auth?.getUser())?.name ?? null])
      return { id }
    },
  })
}

const pathOf = ({ id }: { readonly id: string }, agent = 'report'): string => `/agent/${agent}/runs/${id}`

describe('app.start', () => {
  it('runs an agent in the background, without a user', async () => {
    const seen: unknown[] = []
    const report = createReport(seen)
    const app = open([report])
    const run = await app.app.start(report, { id: 7, at: new Date(0) })
    expect(run).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect(await ended(app, pathOf(run))).toMatchObject({ status: 'done', output: { id: 7 }, attempt: 1 })
    expect(seen).toEqual([[7, 1, new Date(0), null]])
  })

  it('runs as the user named by `as`, unless the user was deleted', async () => {
    const seen: unknown[] = []
    const report = createReport(seen)
    const app = open([report])
    const run = await app.app.start(report, { id: 1 }, { as: 'ada' })
    expect(await ended(app, pathOf(run), 'ada')).toMatchObject({ status: 'done' })
    expect(seen).toEqual([[1, 1, undefined, 'ada']])
    expect((await app.send(`GET ${pathOf(run)}`, { user: 'bob' })).status).toBe(404)
    deleted.add('eve')
    const other = await app.app.start(report, { id: 2 }, { as: 'eve' })
    expect(await ended(app, pathOf(other), 'eve')).toMatchObject({ status: 'cancelled' })
  })

  it('starts one run per key and agent', async () => {
    const seen: unknown[] = []
    const [report, store] = [createReport(seen), memoryRuns()]
    const [one, two] = [open([report], store), open([report], store)]
    const key = 'report é'
    const starts = [one, two, one].map(({ app }, id) =>
      app.start(report, { id }, id === 2 ? { key, as: 'ada' } : { key }),
    )
    const runs = await Promise.all(starts)
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1)
    await ended(one, pathOf(runs[0] ?? { id: '' }))
    expect(await one.app.start(report, { id: 9 }, { key })).toEqual(runs[0])
    expect(seen).toEqual([[0, 1, undefined, null]])
    // A request cannot use the key of a start.
    const response = await one.send('POST /agent/report', {
      body: { id: 5 },
      headers: { 'idempotency-key': `${key}...`.replace('é', 'e') },
    })
    expect(response.status).toBe(400)
  })

  it('queues a run until it is due', async () => {
    const seen: unknown[] = []
    const report = createReport(seen)
    const { store, advance } = createClockStore()
    const app = open([report], store)
    const [hour, day, past] = await Promise.all(
      ['1h', new Date(Date.now() + 86_400_000), new Date(0)].map((at, id) => app.app.start(report, { id }, { at })),
    )
    expect(await ended(app, pathOf(past ?? { id: '' }))).toMatchObject({ status: 'done' })
    for (const run of [hour, day]) expect(await app.run(pathOf(run ?? { id: '' }))).toMatchObject({ status: 'queued' })
    advance(3_600_000)
    expect(await ended(app, pathOf(hour ?? { id: '' }))).toMatchObject({ status: 'done', attempt: 1 })
    expect(await app.run(pathOf(day ?? { id: '' }))).toMatchObject({ status: 'queued', attempt: 0 })
  })

  it('rejects invalid calls', async () => {
    const report = createReport()
    const app = open([report])
    const start = (input: unknown, options = {}): Promise<unknown> => app.app.start(report, input as never, options)
    await expect(start({ id: '7' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', status: 400 })
    await expect(start({ id: 7, more: 1 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(start({ id: 7, at: 'x'.repeat(1_048_576) })).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' })
    for (const at of ['367d', new Date(Number.NaN), new Date(Date.now() + 4e10), -1, 'soon'])
      await expect(start({ id: 7 }, { at })).rejects.toThrow('start(report) must have a duration')
    for (const key of ['', 'a\0', '\uD800', 'x'.repeat(256), 7])
      await expect(start({ id: 7 }, { key })).rejects.toThrow('key must be a text of 1 to 255 characters')
    await expect(start({ id: 7 }, { as: '' })).rejects.toThrow('as must be a text')
    await expect(start({ id: 7 }, { as: 'ada', thread: 'a b' })).rejects.toThrow('thread must have 1 to 128 printable')
    await expect(start({ id: 7 }, { thread: 'a' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    const plain = createAgent('plain', { handler: () => 1 })
    await expect(app.app.start(plain as never, 1)).rejects.toThrow('start(plain) must name a durable agent of the app')
    await expect(app.app.start({} as never, 1)).rejects.toThrow('start must be called with an agent')
    await expect(createApp().start(report, { id: 1 })).rejects.toThrow('start(report) must name a durable agent')
  })

  it('allows one run at a time in a thread', async () => {
    const wait = gate()
    const slow = createAgent('slow', { durable: true, handler: () => wait.opened })
    const { app } = open([slow])
    const { id } = await app.start(slow, null, { as: 'ada', thread: 't' })
    await expect(app.start(slow, null, { as: 'ada', thread: 't' })).rejects.toMatchObject({
      code: 'RUN_IN_PROGRESS',
      details: [{ run: id }],
    })
    wait.open()
  })
})

describe('the number of runs', () => {
  it('limits the unfinished runs of a user, but not those of the app', async () => {
    const report = createReport()
    const app = open([report])
    const start = (count: number, options: object): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, (_, id) => app.app.start(report, { id }, { at: '1h', ...options })))
    await start(1_000, { as: 'ada' })
    await expect(start(1, { as: 'ada' })).rejects.toMatchObject({ code: 'TOO_MANY_RUNS', status: 429 })
    await start(1_001, {})
  })

  it('bounds the runs that a process executes in the background, and continues when runs end', async () => {
    const wait = gate()
    const counts = { active: 0, most: 0, done: 0 }
    const slow = createAgent('slow', {
      durable: true,
      async handler() {
        counts.active += 1
        counts.most = Math.max(counts.most, counts.active)
        await wait.opened
        counts.active -= 1
        counts.done += 1
      },
    })
    const app = open([slow])
    await Promise.all(Array.from({ length: 2_300 }, () => app.app.start(slow, null)))
    expect(counts.most).toBe(1_000)
    // A request does not wait for background runs.
    const response = app.send('POST /agent/slow')
    await expect.poll(() => counts.active).toBe(1_001)
    wait.open()
    expect((await response).status).toBe(200)
    await expect.poll(() => counts.done, { timeout: 30_000 }).toBe(2_301)
    expect(counts.most).toBeLessThanOrEqual(1_001)
  })
})

describe('ctx.start', () => {
  async function startedBy(app: RunApp, path: string, user?: string): Promise<{ id: string }> {
    const { body } = await app.json(`POST ${path}`, user === undefined ? {} : { user })
    return body as { id: string }
  }

  it('starts a run as the caller in routes and agents', async () => {
    const seen: unknown[] = []
    const report = createReport(seen)
    const relay = createAgent('relay', { handler: (ctx) => ctx.start(report, { id: 3 }) })
    const app = open([report, relay])
    const run = await startedBy(app, '/agent/relay', 'ada')
    expect(await ended(app, pathOf(run), 'ada')).toMatchObject({ status: 'done' })
    const guest = await startedBy(app, '/agent/relay')
    expect(await ended(app, pathOf(guest))).toMatchObject({ status: 'done' })
    expect(seen).toEqual([
      [3, 1, undefined, 'ada'],
      [3, 1, undefined, null],
    ])
    const router = createRouter().on('POST /api/go', (ctx) => ctx.start(report, { id: 4 }))
    const other = createApp({ agents: [report as Agent], router, rateLimit: false })
    const response = await other.fetch(new Request('http://localhost/api/go', { method: 'POST' }))
    expect(await response.json()).toEqual({ id: expect.any(String) })
    await other.close()
  })

  it('is stored as a step, so that it happens once', async () => {
    const seen: unknown[] = []
    const store = memoryRuns()
    const report = createReport(seen)
    const hold = gate()
    let isSecond = false
    const parent = createAgent('parent', {
      durable: true,
      async handler(ctx) {
        const [first, second] = await Promise.all([ctx.start(report, { id: 1 }), ctx.start(report, { id: 2 })])
        const named = await ctx.start(report, { id: 3 }, { key: 'three' })
        if (!isSecond) {
          hold.open()
          await new Promise(() => {})
        }
        return [first.id, second.id, named.id]
      },
    })
    const [one, two] = [open([report, parent], store), open([report, parent], store)]
    const run = await one.app.start(parent, null, { as: 'ada' })
    await hold.opened
    isSecond = true
    await two.app.ready()
    one.app.drain()
    const { output, attempt } = await ended(two, pathOf(run, 'parent'), 'ada')
    expect(attempt).toBe(2)
    expect(new Set(output as string[]).size).toBe(3)
    for (const id of output as string[]) await ended(two, pathOf({ id }), 'ada')
    expect(seen.length).toBe(3)
    expect(await two.app.start(report, { id: 9 }, { key: `${run.id}/report#2` })).toEqual({
      id: (output as string[])[1],
    })
    expect(await two.app.start(report, { id: 9 }, { key: 'three' })).toEqual({ id: (output as string[])[2] })
  })

  it('starts one run if the process ends before the start is stored', async () => {
    const store = memoryRuns()
    const seen: unknown[] = []
    const report = createReport(seen)
    const write = store.write.bind(store)
    let isLost = true
    const lossy: RunStore = Object.assign(Object.create(store) as RunStore, {
      write: (process: string, writes: Parameters<RunStore['write']>[1]) =>
        isLost && writes.some(({ steps }) => steps.length > 0) ? new Promise<never>(() => {}) : write(process, writes),
    })
    for (const name of [
      'join',
      'create',
      'claim',
      'renew',
      'get',
      'steps',
      'release',
      'now',
      'leave',
      'ready',
    ] as const)
      Object.assign(lossy, { [name]: store[name].bind(store) })
    const parent = createAgent('parent', {
      durable: true,
      handler: async (ctx) => (await ctx.start(report, { id: 1 })).id,
    })
    const [one, two] = [open([report, parent], lossy), open([report, parent], store)]
    const run = await one.app.start(parent, null)
    await expect.poll(() => seen.length).toBe(1)
    isLost = false
    await two.app.ready()
    one.app.drain()
    const { output } = await ended(two, pathOf(run, 'parent'))
    expect(await ended(two, pathOf({ id: String(output) }))).toMatchObject({ status: 'done' })
    expect(new Set(seen.map(String)).size).toBe(1)
    expect((await store.claim('x', { agents: ['report'], limit: 9 })).length).toBe(0)
  })

  it('cannot be inside a step', async () => {
    const report = createReport()
    const parent = createAgent('parent', {
      durable: true,
      handler: (ctx) => ctx.step('outer', () => ctx.start(report, { id: 1 })),
    })
    const app = open([report, parent])
    const run = await app.app.start(parent, null)
    await ended(app, pathOf(run, 'parent'))
    expect(JSON.stringify(app.lines)).toContain('the start \\"report\\" cannot run inside the step')
  })
})
