import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, memoryRuns, type RunStore } from '../../index.ts'
import { closeAll, count, ended, open, passTime, type RunApp } from '../run-app.test.fixture.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await closeAll()
})

const events = { approval: z.object({ ok: z.boolean() }), stop: z.object({}) }
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const forever = (): Promise<never> => new Promise(() => {})

async function start(app: RunApp, agent = 'test'): Promise<string> {
  const response = await app.send(`POST /agent/${agent}`, { headers: { prefer: 'respond-async' } })
  return response.headers.get('location') ?? ''
}

/** Lets time pass until a run has ended. */
async function untilEnded(app: RunApp, path: string): Promise<unknown> {
  for (;;) {
    const run = await app.run(path)
    if (run.endedAt !== null) return run
    await passTime(wait(1_000))
  }
}

describe('a pause', () => {
  it('ends in memory while a step is running', async () => {
    const agent = createAgent('test', {
      durable: true,
      events,
      async handler(ctx) {
        const began = Date.now()
        await Promise.race([ctx.step('call', forever), ctx.sleep('timeout', '61s')])
        await ctx.sleep('later', '2m')
        const stopped = await ctx.wait('stop')
        return { seconds: Math.round((Date.now() - began) / 1000), stopped, attempt: ctx.run.attempt }
      },
    })
    const app = open([agent])
    const path = await start(app)
    await passTime(wait(190_000))
    expect(await app.run(path)).toMatchObject({ status: 'running' })
    expect(await app.json(`POST ${path}/events/stop`, { body: {} })).toMatchObject({ status: 204 })
    expect(await untilEnded(app, path)).toMatchObject({ output: { stopped: {}, attempt: 1 } })
  })

  it('lets a run end whose handler works without a step after a race', async () => {
    const agent = createAgent('test', {
      durable: true,
      events,
      async handler(ctx) {
        await Promise.race([ctx.step('a', () => 1), ctx.wait('stop')])
        await wait(70_000)
        return 'done'
      },
    })
    const app = open([agent])
    const path = await start(app)
    expect(await untilEnded(app, path)).toMatchObject({ status: 'done', output: 'done', attempt: 2 })
    expect(JSON.stringify(app.lines)).toContain('the run paused while its handler was working')
  })

  it('does not delay a step that begins a moment later', async () => {
    const seen: string[] = []
    const agent = createAgent('test', {
      durable: true,
      async handler(ctx) {
        const other = wait(5_000).then(() => ctx.step('x', () => seen.push('x')))
        await Promise.all([ctx.sleep('a day', '1d'), other])
      },
    })
    const app = open([agent])
    const path = await start(app)
    await passTime(wait(20_000))
    expect(seen).toEqual(['x'])
    expect(await app.run(path)).toMatchObject({ attempt: 2, endedAt: null })
  })

  it('aborts the signal', async () => {
    const seen: unknown[] = []
    const agent = createAgent('test', {
      durable: true,
      async handler(ctx) {
        ctx.signal.addEventListener('abort', () => seen.push('aborted'))
        await ctx.sleep('a day', '1d')
      },
    })
    const app = open([agent])
    await start(app)
    await passTime(wait(1_000))
    expect(seen).toEqual(['aborted'])
  })

  it('needs no query when it has passed', async () => {
    const store = memoryRuns()
    const calls: string[] = []
    for (const name of ['now', 'stepValue', 'events', 'event'] as const) {
      const call = store[name].bind(store) as (...values: unknown[]) => Promise<unknown>
      Object.assign(store, { [name]: (...values: unknown[]) => (calls.push(name), call(...values)) })
    }
    const agent = createAgent('test', {
      durable: true,
      async handler(ctx) {
        if (ctx.run.attempt === 2) calls.length = 0
        for (let index = 0; index < 100; index++) await ctx.sleep('nap', 1)
        await ctx.sleep('a while', '90s')
        return calls.length
      },
    })
    const app = open([agent], store)
    const path = await start(app)
    expect(await untilEnded(app, path)).toMatchObject({ status: 'done', attempt: 2 })
    expect(calls.length).toBeLessThan(5)
  })

  it('shows the newest event', async () => {
    const agent = createAgent('test', {
      durable: true,
      events,
      async handler(ctx) {
        await Promise.race([ctx.wait('stop'), ctx.step('work', () => 1)])
        await ctx.wait('approval', { ask: 'Buy it?' })
      },
    })
    const app = open([agent])
    const path = await start(app)
    await passTime(wait(1_000))
    expect((await app.run(path)).waiting).toMatchObject({ event: 'approval', ask: 'Buy it?' })
  })

  it('continues when the store is available again', async () => {
    const store = memoryRuns()
    const outage = { isOn: false }
    const names = ['now', 'stepValue', 'events', 'event', 'steps'] as const
    for (const name of names) {
      const call = store[name].bind(store) as (...values: unknown[]) => Promise<unknown>
      const failing = (...values: unknown[]): Promise<unknown> =>
        outage.isOn ? Promise.reject(new Error('unavailable')) : call(...values)
      Object.assign(store, { [name]: failing } as Partial<RunStore>)
    }
    const agent = createAgent('test', {
      durable: true,
      events,
      async handler(ctx) {
        await ctx.step('before', () => (outage.isOn = true))
        await ctx.sleep('short', 10)
        return ctx.wait('approval')
      },
    })
    const app = open([agent], store)
    const path = await start(app)
    await passTime(wait(60_000))
    outage.isOn = false
    await app.json(`POST ${path}/events/approval`, { body: { ok: true } })
    expect(await untilEnded(app, path)).toMatchObject({ status: 'done', output: { ok: true } })
  })
})

describe('new code', () => {
  /** Runs a handler until it pauses, and then another one. */
  async function deploy(before: unknown, after: unknown): Promise<{ app: RunApp; path: string }> {
    const store = memoryRuns()
    const old = open([before], store)
    const path = await start(old)
    await passTime(wait(1_000))
    await passTime(old.app.close())
    const app = open([after, count], store)
    await passTime(app.json('POST /agent/count', { body: { to: 1 } })) // the app continues runs from now on
    return { app, path }
  }

  it('keeps its chunks if a sleep has another name, and warns', async () => {
    const before = createAgent('test', {
      durable: true,
      async *handler(ctx) {
        yield* ['a', 'b', 'c']
        await ctx.sleep('a minute', '90s')
      },
    })
    const after = createAgent('test', {
      durable: true,
      async *handler(ctx) {
        yield 'a'
        await ctx.sleep('a second', '1s')
        yield* ['new 1', 'new 2']
        yield* ctx.step.stream('more', async function* () {
          yield 'new 3'
        })
      },
    })
    const { app, path } = await deploy(before, after)
    await untilEnded(app, path)
    const text = await (await app.send(`GET ${path}/chunks`)).text()
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(['a', 'b', 'c', 'new 1', 'new 2', 'new 3'])
    const warning = app.lines.find(({ level }) => level === 'warn')
    expect(warning).toMatchObject({ stored: ['a minute'], current: ['a second'] })
  })

  it('warns if it pauses while another pause is stored', async () => {
    const before = createAgent('test', { durable: true, handler: (ctx) => ctx.sleep('a minute', '90s') })
    const after = createAgent('test', { durable: true, handler: (ctx) => ctx.sleep('a day', '1d') })
    const { app, path } = await deploy(before, after)
    await passTime(wait(100_000))
    expect(await app.run(path)).toMatchObject({ status: 'waiting', attempt: 2 })
    const warnings = app.lines.filter(({ level }) => level === 'warn')
    expect(warnings).toMatchObject([{ stored: ['a minute'], current: ['a day'] }])
  })

  it('can use the name of a step for a sleep', async () => {
    const before = createAgent('test', {
      durable: true,
      async handler(ctx) {
        await ctx.step('pause', () => ({ a: 1 }))
        await ctx.sleep('a minute', '90s')
      },
    })
    const after = createAgent('test', {
      durable: true,
      async handler(ctx) {
        const began = Date.now()
        await ctx.sleep('pause', '5s')
        return Date.now() - began
      },
    })
    const { app, path } = await deploy(before, after)
    const { output } = (await untilEnded(app, path)) as { output: number }
    expect(output).toBeGreaterThanOrEqual(5_000)
  })
})

describe('the name of a wait', () => {
  it('can have an id that ends with # and a number, and be the name of a step', async () => {
    vi.useRealTimers()
    const agent = createAgent('test', {
      durable: true,
      events,
      handler: (ctx) =>
        Promise.race([ctx.step('approval', forever), ctx.wait('approval'), ctx.wait('approval', { id: 'order#12' })]),
    })
    const app = open([agent])
    const path = await start(app)
    await app.json(`POST ${path}/events/approval?id=order%2312`, { body: { ok: true } })
    expect(await ended(app, path)).toMatchObject({ status: 'done', output: { ok: true } })
  })
})
