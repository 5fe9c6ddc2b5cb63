import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAgent, memoryRuns } from '../index.ts'
import { closeAll, createClockStore, ended, open, passTime, readLines } from './run-app.test.fixture.ts'

const DAY = 86_400_000

afterEach(async () => {
  vi.useRealTimers()
  await closeAll()
})

describe('ctx.sleep', () => {
  it('leaves memory, answers 202 with the run, and continues after the time of the store', async () => {
    const { store, processes, advance } = createClockStore()
    const seen: string[] = []
    const agent = createAgent('nap', {
      durable: { concurrency: 1 },
      async handler(ctx) {
        const start = await ctx.step('start', () => (seen.push('start'), 1))
        try {
          await ctx.sleep('a day', '1d')
        } finally {
          seen.push(`awake ${ctx.run.attempt}`)
        }
        return start + 1
      },
    })
    const app = open([agent], store)
    const { status, body } = await app.json('POST /agent/nap')
    expect(status).toBe(202)
    expect(body).toMatchObject({
      status: 'waiting',
      waiting: { event: null, id: null, ask: null, until: expect.any(String) },
      output: null,
      endedAt: null,
    })
    const { id, waiting } = body as { id: string; waiting: { until: string } }
    expect(Math.abs(Date.parse(waiting.until) - Date.now() - DAY)).toBeLessThan(60_000)
    expect(await store.renew(processes[0] ?? '')).toEqual(new Set())
    // The sleeping run does not count as a concurrent one.
    expect(await app.json('POST /agent/nap')).toMatchObject({ status: 202, body: { status: 'waiting' } })
    expect(seen).toEqual(['start', 'start'])
    advance(DAY - 10_000)
    await new Promise((resolve) => setTimeout(resolve, 1_200)) // longer than the interval of claims
    expect(await app.run(`/agent/nap/runs/${id}`)).toMatchObject({ status: 'waiting', attempt: 1 })
    advance(10_000)
    expect(await ended(app, `/agent/nap/runs/${id}`)).toMatchObject({
      status: 'done',
      output: 2,
      attempt: 2,
      waiting: null,
    })
    expect(seen.filter((entry) => entry === 'start')).toHaveLength(2)
    expect(seen).toContain('awake 2')
    expect(seen).not.toContain('awake 1')
  })

  it('stays in memory for up to a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const agent = createAgent('nap', {
      durable: true,
      async handler(ctx) {
        const start = Date.now()
        await ctx.sleep('short', 2_000)
        await ctx.sleep('short', '1s')
        await ctx.sleep('past', new Date(0))
        return { ms: Date.now() - start, attempt: ctx.run.attempt }
      },
    })
    const { body } = (await passTime(open([agent]).json('POST /agent/nap'))) as { body: { ms: number } }
    expect(body).toMatchObject({ attempt: 1 })
    expect(body.ms).toBeGreaterThanOrEqual(3_000)
    expect(body.ms).toBeLessThan(4_000)
  })

  it('keeps a stream open with empty lines for 5 minutes, and then ends it with RUN_WAITING', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
    const agent = createAgent('nap', {
      durable: true,
      async *handler(ctx) {
        yield 'before'
        await ctx.sleep('a while', '7m')
        yield 'after'
      },
    })
    const app = open([agent])
    const response = await app.send('POST /agent/nap')
    const start = Date.now()
    const text = await passTime(response.text())
    expect(Date.now() - start).toBeGreaterThanOrEqual(300_000)
    expect(text).toMatch(/^"before"\n\t\n\n{50,70}\{"error":\{"code":"RUN_WAITING",.*\}\n$/)
    const path = `/agent/nap/runs/${response.headers.get('run-id')}/chunks?at=1.1`
    // The stream continues in the new epoch, since no chunk is retracted.
    const rest = await app.send(`GET ${path}`)
    expect(await passTime(rest.text())).toMatch(/^\t\n\n*\t\n"after"\n \n$/)
    const last = await app.send(`GET ${path}`)
    expect(last.headers.get('run-position')).toBe('2.1')
    expect(await passTime(readLines(last))).toEqual(['after'])
  })

  it('waits for the steps beside it before the run leaves memory', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const agent = createAgent('nap', {
      durable: true,
      async handler(ctx) {
        const slow = ctx.step('slow', () => new Promise((resolve) => setTimeout(resolve, 90_000, 'slow')))
        await Promise.all([ctx.sleep('long', '3m'), ctx.sleep('longer', '6m'), slow])
        return ctx.run.attempt
      },
    })
    const app = open([agent])
    const start = Date.now()
    const { body } = await passTime(app.json('POST /agent/nap'))
    expect(Date.now() - start).toBeGreaterThan(94_000)
    const { waiting, id } = body as { id: string; waiting: { until: string } }
    expect(Date.parse(waiting.until) - start).toBeLessThan(300_000)
    const path = `/agent/nap/runs/${id}`
    while ((await app.run(path)).endedAt === null) await passTime(app.json(`GET ${path}?wait=60`))
    expect(await app.run(path)).toMatchObject({ status: 'done', output: 3 })
  })

  it('can be cancelled', async () => {
    const agent = createAgent('nap', { durable: true, handler: (ctx) => ctx.sleep('a day', '1d') })
    const app = open([agent])
    const { body } = await app.json('POST /agent/nap')
    const path = `/agent/nap/runs/${(body as { id: string }).id}`
    expect(await app.json(`DELETE ${path}`)).toMatchObject({ status: 204 })
    expect(await app.run(path)).toMatchObject({ status: 'cancelled', waiting: null })
  })

  it.each([
    ['text', 'tomorrow', 'got tomorrow'],
    ['a negative duration', -1, 'got -1'],
    ['more than a year', '367d', 'got 367d'],
    ['an invalid Date', new Date(Number.NaN), 'got Invalid Date'],
  ])('rejects %s', async (_name, time, message) => {
    const app = open([createAgent('nap', { durable: true, handler: (ctx) => ctx.sleep('a', time) })])
    expect(await app.json('POST /agent/nap')).toMatchObject({ status: 500 })
    expect(JSON.stringify(app.lines)).toContain(message)
  })

  it('cannot be called inside a step or a transaction, or outside of durable agents', async () => {
    const inStep = createAgent('a', { durable: true, handler: (ctx) => ctx.step('b', () => ctx.sleep('c', 1)) })
    const inTransaction = createAgent('b', { durable: true, handler: (ctx) => ctx.sleep('c', 1) })
    const plain = createAgent('c', { handler: (ctx) => (ctx as never as { sleep(): void }).sleep() })
    const app = open([inStep, inTransaction, plain], Object.assign(memoryRuns(), { isInTransaction: () => true }))
    for (const name of ['a', 'b', 'c']) expect(await app.json(`POST /agent/${name}`)).toMatchObject({ status: 500 })
    const text = JSON.stringify(app.lines)
    expect(text).toContain('the sleep \\"c\\" cannot run inside a transaction: call ctx.sleep before or after')
    expect(text).toContain('ctx.sleep cannot be used in POST /agent/c')
    const other = open([inStep])
    expect(await other.json('POST /agent/a')).toMatchObject({ status: 500 })
    expect(JSON.stringify(other.lines)).toContain('cannot run inside the step \\"b\\": call ctx.sleep in the handler')
  })
})
