import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, createLog, memoryRuns, nextTicks, type Agent, type RunStore } from '../index.ts'
import { testApp, type TestApp } from '../testing.ts'

const DAY = 86_400_000
const apps: TestApp[] = []

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

async function open(agents: readonly unknown[], runs?: RunStore): Promise<TestApp> {
  const log = createLog({ write() {} })
  const app = await testApp(createApp({ agents: agents as Agent[], log, ...(runs && { runs }) }))
  apps.push(app)
  return app
}

const buy = createAgent('buy', {
  durable: true,
  input: z.object({ cost: z.number() }),
  events: { approval: z.object({ ok: z.boolean() }) },
  async handler(ctx, { cost }) {
    const { ok } = await ctx.wait('approval', { ask: { cost }, timeout: '3d' })
    await ctx.sleep('a day', '1d')
    return { ok, by: ctx.auth === null ? null : (await ctx.auth.getUser()).name }
  },
})

describe('testApp().runs', () => {
  it('starts a run, sends an event as the route does, and lets a sleep end', async () => {
    const app = await open([buy])
    await expect(app.runs.start('buy', { cost: 'much' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    const run = await app.runs.start('buy', { cost: 20 })
    expect(run).toMatchObject({ status: 'waiting', waiting: { event: 'approval', ask: { cost: 20 } } })
    await expect(app.runs.send(run, 'approval', { ok: 'yes' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(app.runs.send(run, 'refusal', {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(app.runs.send('f'.repeat(32), 'approval', {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await app.runs.send(run, 'approval', { ok: true })).toMatchObject({ waiting: { event: null } })
    await expect(app.runs.send(run.id, 'approval', { ok: false })).rejects.toMatchObject({ code: 'EVENT_SENT' })
    await app.runs.advance('23h')
    expect(await app.runs.get(run)).toMatchObject({ status: 'waiting' })
    await app.runs.advance('1h')
    expect(await app.runs.get(run.id)).toMatchObject({ status: 'done', output: { ok: true, by: null } })
    await expect(app.runs.send(run, 'approval', { ok: true })).resolves.toMatchObject({ status: 'done' })
  })

  it('lets a wait time out', async () => {
    const app = await open([buy])
    const run = await app.runs.start('buy', { cost: 20 })
    await app.runs.advance('3d')
    expect(await app.runs.get(run)).toMatchObject({ status: 'failed', error: { code: 'EVENT_TIMEOUT' } })
  })

  it('continues the runs of a test user, and hides them from others', async () => {
    const app = await open([buy])
    const [ada, alan] = [app.as({ name: 'Ada' }), app.as({ name: 'Alan' })]
    const run = await ada.runs.start('buy', { cost: 1 })
    await expect(alan.runs.get(run)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await ada.runs.send(run, 'approval', { ok: false })
    await app.runs.advance('1d')
    expect(await ada.runs.get(run)).toMatchObject({ status: 'done', output: { ok: false, by: 'Ada' } })
  })

  it('wakes each run at its own time: short and long sleeps, retries, and waits with an id', async () => {
    const times: [string, number][] = []
    let start = 0
    const note = (name: string, now: number): void => void times.push([name, Math.round((now - start) / 1000)])
    const store = memoryRuns()
    const naps = createAgent('naps', {
      durable: { retries: 3 },
      events: { go: z.null() },
      async handler(ctx) {
        await ctx.sleep('short', '30s')
        await ctx.step('short', async () => note('short', await store.now()))
        await ctx.sleep('long', '2h')
        await ctx.step('flaky', async ({ attempt }) => {
          note(`try ${attempt}`, await store.now())
          if (attempt < 3) throw new Error('not yet')
        })
        await ctx.wait('go', { id: 'first' })
        return ctx.run.attempt
      },
    })
    const app = await open([naps], store)
    start = await store.now()
    const began = performance.now()
    const run = await app.runs.start('naps')
    expect(run).toMatchObject({ status: 'running' })
    await app.runs.advance('20s')
    expect(times).toEqual([])
    await app.runs.advance(DAY)
    expect(times.map(([name]) => name)).toEqual(['short', 'try 1', 'try 2', 'try 3'])
    const [short, first, second, third] = times.map(([, at]) => at) as [number, number, number, number]
    expect(short).toBe(30)
    expect(first).toBe(7230)
    expect(second - first).toBeLessThanOrEqual(2)
    expect(third - first).toBeGreaterThanOrEqual(2)
    expect(third - first).toBeLessThanOrEqual(5)
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await app.runs.send(run, 'go', null, { id: 'first' })).toMatchObject({ status: 'done', output: 3 })
  })

  it('starts a run for each tick of a schedule', async () => {
    const ticks: (Date | null)[] = []
    const report = createAgent('report', {
      durable: true,
      schedule: ['0 7 * * *', '30 7 * * *'],
      async handler(ctx) {
        await ctx.step('note', () => void ticks.push(ctx.run.scheduledAt))
        await ctx.sleep('an hour', '1h')
      },
    })
    const store = memoryRuns()
    const app = await open([report], store)
    const after = await store.now()
    await app.runs.advance('2d')
    expect(ticks).toEqual(nextTicks(report, 4, after))
  })

  it('starts queued runs at their time, and runs of a thread one after the other', async () => {
    const times: [string, number][] = []
    const store = memoryRuns()
    const chat = createAgent('chat', {
      durable: { busy: 'queue' },
      input: z.string(),
      async handler(ctx, name) {
        await ctx.step('note', async () => void times.push([name, await store.now()]))
        await ctx.sleep('an hour', '1h')
      },
    })
    const created = createApp({ agents: [chat] as unknown as Agent[], log: createLog({ write() {} }), runs: store })
    const app = await testApp(created)
    apps.push(app)
    const start = await store.now()
    const inThread = { as: 'ada', thread: 't' }
    for (const [name, at] of [
      ['one', '1d'],
      ['two', '2h'],
      ['three', 0],
    ] as const)
      await created.start(chat, name, { ...inThread, at })
    await app.runs.advance('23h')
    expect(times).toEqual([])
    await app.runs.advance('4h')
    const hours = times.map(([name, at]) => `${name} ${Math.round((at - start) / 3_600_000)}`)
    expect(hours).toEqual(['one 24', 'two 25', 'three 26'])
  })

  it('keeps the process running while a call waits for a short sleep', async () => {
    const app = await open([createAgent('nap', { durable: true, handler: (ctx) => ctx.sleep('short', 50) })])
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const nap = app.call('POST /agent/nap')
    expect(timers()).toBe(before + 1)
    await nap
  })

  it('rejects agents that are not durable, without calling them', async () => {
    let calls = 0
    const app = await open([buy, createAgent('plain', { handler: () => (calls += 1) })])
    for (const name of ['plain', 'nobody'])
      await expect(app.runs.start(name)).rejects.toThrow(
        `runs.start must get the name of a durable agent of the app, got "${name}"`,
      )
    expect(calls).toBe(0)
  })

  it('runs the caller of a long run only a few times', async () => {
    const child = createAgent('child', { durable: true, handler: (ctx) => ctx.sleep('an hour', '1h') })
    const parent = createAgent('parent', {
      durable: true,
      handler: async (ctx) => (await ctx.call(child, undefined), ctx.run.attempt),
    })
    const app = await open([parent, child])
    const run = await app.runs.start('parent')
    await app.runs.advance('1h')
    expect(Number((await app.runs.get(run)).output)).toBeLessThan(12)
  })

  it('waits for runs that take their time', async () => {
    const slow = createAgent('slow', {
      durable: true,
      handler: (ctx) => ctx.step('a', () => new Promise((resolve) => setTimeout(resolve, 300, 'late'))),
    })
    const app = await open([slow])
    expect(await app.runs.start('slow')).toMatchObject({ status: 'done', output: 'late' })
  })

  it('rejects durations that it cannot parse, and apps whose clock is not its own', async () => {
    const app = await open([buy])
    for (const time of ['tomorrow', -1, Number.NaN, '2w'])
      await expect(app.runs.advance(time)).rejects.toThrow(/runs\.advance must get a duration such as '2d'/)
    const nothing = (): Promise<never[]> => Promise.resolve([])
    const foreign: Partial<RunStore> = {
      ready: async () => {},
      join: async () => {},
      leave: async () => {},
      claim: nothing,
    }
    const other = await open([buy], foreign as RunStore)
    await expect(other.runs.advance('1d')).rejects.toThrow(/needs durable agents whose runs are stored in memory/)
    const none = await open([])
    await expect(none.runs.advance('1d')).rejects.toThrow(/needs durable agents/)
  })
})
