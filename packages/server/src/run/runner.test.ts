import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, memoryRuns } from '../index.ts'
import { closeAll, deleted, ended, gate, open, passTime, positionOf, readLines } from './run-app.test.fixture.ts'

afterEach(async () => {
  vi.useRealTimers()
  await closeAll()
})

/** A run whose process was killed. */
const LOST_RUN = {
  userId: null,
  caller: null,
  key: null,
  print: '',
  thread: null,
  input: null,
  address: '',
  trace: null,
  isStream: false,
  keepFor: 60,
  process: 'crashed',
}

describe('takeover', () => {
  it('continues a run in another process after the last finished step, with the same user', async () => {
    const store = memoryRuns()
    const { opened, open: reach } = gate()
    const seen: string[] = []
    let isSecond = false
    const agent = createAgent('essay', {
      durable: true,
      async *handler(ctx) {
        yield 'title'
        const plan = await ctx.step('plan', () => (seen.push('plan'), { parts: ['a', 'b'], at: new Date(0) }))
        seen.push(`${ctx.run.attempt} ${(await ctx.auth?.getUser())?.name} ${plan.at}`)
        for (const part of plan.parts) {
          yield* ctx.step.stream('write', async function* () {
            seen.push(part)
            yield `${part}1`
            if (part === 'b' && !isSecond) {
              reach()
              await new Promise(() => {})
            }
            yield `${part}2`
          })
        }
      },
    })
    const one = open([agent], store)
    const two = open([agent], store)
    const response = await one.send('POST /agent/essay', { user: 'ada', headers: { accept: 'text/event-stream' } })
    await opened
    isSecond = true
    const path = `/agent/essay/runs/${response.headers.get('run-id')}`
    await expect.poll(async () => (await store.get(path.slice(-32)))?.chunks).toBe(4)
    await two.app.ready()
    const reading = response.text().catch(() => 'cut')
    one.app.drain()
    expect(await ended(two, path, 'ada')).toMatchObject({ status: 'done', attempt: 2 })
    expect(seen).toEqual(['plan', '1 ada 1970-01-01T00:00:00.000Z', 'a', 'b', '2 ada 1970-01-01T00:00:00.000Z', 'b'])
    const whole = ['title', 'a1', 'a2', 'b1', 'b2']
    expect(await readLines(await two.send(`GET ${path}/chunks`, { user: 'ada' }))).toEqual(whole)
    const resumed = await two.send(`GET ${path}/chunks?at=1.4`, { user: 'ada' })
    expect(positionOf(resumed)).toEqual({ epoch: 2, index: 3 })
    expect(await readLines(resumed)).toEqual(['b1', 'b2'])
    const headers = { accept: 'text/event-stream', 'last-event-id': '1.4' }
    expect(await (await two.send(`GET ${path}/chunks`, { user: 'ada', headers })).text()).toBe(
      'event: retract\nid: 2.3\ndata: {"keep":3}\n\nid: 2.4\ndata: "b1"\n\nid: 2.5\ndata: "b2"\n\n:end\n\n',
    )
    // The reader on the first process gets the retraction, or is cut off and continues elsewhere.
    const text = await reading
    expect(text === 'cut' || text.includes('event: retract')).toBe(true)
  })

  it('executes runs that have crashed twice a few at a time, until each has finished a step', async () => {
    const store = memoryRuns()
    const { opened, open: release } = gate()
    const counts = { running: 0, most: 0 }
    const agent = createAgent('work', {
      durable: true,
      async handler(ctx) {
        counts.running += 1
        counts.most = Math.max(counts.most, counts.running)
        await ctx.step('wait', () => opened)
        counts.running -= 1
        await ctx.sleep('a while', '1h') // the step makes room for others, not the end of the run
      },
    })
    const ids = Array.from({ length: 25 }, (_, number) => `${number}`.padStart(32, '0'))
    for (const id of ids) await store.create({ ...LOST_RUN, id, agent: 'work' })
    for (const process of ['a', 'b']) await store.claim(process, { agents: ['work'], limit: 100 })
    await open([agent], store).app.ready()
    await expect.poll(() => counts.running).toBe(10)
    release()
    const states = async (): Promise<unknown[]> =>
      Promise.all(ids.map(async (id) => (await store.stepValue(id, 'a while#sleep')) !== null))
    await expect.poll(async () => (await states()).every(Boolean), { timeout: 30_000 }).toBe(true)
    expect(counts).toEqual({ running: 0, most: 10 })
  })

  it('logs a run that has failed because its processes crashed too often', async () => {
    const store = memoryRuns()
    const id = '0'.repeat(32)
    await store.create({ ...LOST_RUN, id, agent: 'work' })
    for (const process of ['a', 'b', 'c', 'd']) await store.claim(process, { agents: ['work'], limit: 1 })
    const app = open([createAgent('work', { durable: true, handler: () => null })], store)
    await app.app.ready()
    await expect
      .poll(() => app.lines.filter(({ level }) => level === 'error'))
      .toMatchObject([{ message: expect.stringContaining('RUN_CRASHES'), agent: 'work', run: id }])
  })

  it('logs a failed run once', async () => {
    const fails = createAgent('fails', {
      durable: true,
      handler: () => {
        throw new Error('on purpose')
      },
    })
    const app = open([fails])
    expect(await app.json('POST /agent/fails')).toMatchObject({ status: 500 })
    expect(app.lines.filter(({ message }) => String(message).startsWith('handler failed'))).toMatchObject([
      { message: 'handler failed', error: 'on purpose' },
    ])
  })

  it('cancels the run of a deleted user', async () => {
    const store = memoryRuns()
    const agent = createAgent('slow', { durable: true, handler: () => new Promise(() => {}) })
    const one = open([agent], store)
    const response = await one.send('POST /agent/slow', { user: 'eve', headers: { prefer: 'respond-async' } })
    deleted.add('eve')
    const two = open([agent], store)
    await two.app.ready()
    one.app.drain()
    expect(await ended(two, response.headers.get('location') ?? '', 'eve')).toMatchObject({ status: 'cancelled' })
  })

  it('keeps the concurrency of an agent if a request arrives while a queued run is claimed', async () => {
    const [claiming, claimed] = [gate(), gate()]
    let [running, most, done] = [0, 0, 0]
    const agent = createAgent('one', {
      durable: { concurrency: 1 },
      async handler(ctx) {
        most = Math.max(most, ++running)
        await ctx.step('wait', () => new Promise((resolve) => setTimeout(resolve, 20)))
        running -= 1
        done += 1
      },
    })
    const store = memoryRuns()
    const { claim } = store
    store.claim = async (process, options) => {
      const runs = await claim.call(store, process, options)
      if (runs.length > 0) claiming.open()
      if (runs.length > 0) await claimed.opened
      return runs
    }
    const app = open([agent], store)
    await app.app.start(agent, undefined, { at: 1 })
    await claiming.opened
    await app.send('POST /agent/one', { headers: { prefer: 'respond-async' } })
    claimed.open()
    await expect.poll(() => done, { interval: 10, timeout: 900 }).toBe(2)
    expect(most).toBe(1)
  })

  it('fails a run whose input the new schema rejects', async () => {
    const store = memoryRuns()
    const one = open([createAgent('slow', { durable: true, handler: () => new Promise(() => {}) })], store)
    const response = await one.send('POST /agent/slow', { body: { a: 1 }, headers: { prefer: 'respond-async' } })
    const changed = createAgent('slow', { durable: true, input: z.object({ b: z.string() }), handler: () => 1 })
    const two = open([changed], store)
    await two.app.ready()
    one.app.drain()
    const run = await ended(two, response.headers.get('location') ?? '')
    expect(run).toMatchObject({ status: 'failed', error: { code: 'RUN_INPUT_CHANGED', details: [{ pointer: '/b' }] } })
  })

  it('repeats a stream step as a whole, even if a step beside it has finished', async () => {
    const store = memoryRuns()
    const processes: string[] = []
    const join = store.join.bind(store)
    store.join = (process, onNews) => (processes.push(process), join(process, onNews))
    const { opened, open: endTitle } = gate()
    const titles: number[] = []
    const agent = createAgent('chat', {
      durable: true,
      async *handler(ctx) {
        const title = ctx.step('title', () => (titles.push(ctx.run.attempt), opened))
        yield* ctx.step.stream('answer', async function* () {
          yield 'a1'
          yield 'a2'
          if (ctx.run.attempt === 1) {
            endTitle()
            await new Promise(() => {})
          }
          yield 'a3'
        })
        await title
        yield 'end'
      },
    })
    const response = await open([agent], store).send('POST /agent/chat', { headers: { prefer: 'respond-async' } })
    const id = response.headers.get('run-id') ?? ''
    await expect.poll(async () => [...(await store.steps(id)).keys()]).toEqual(['title'])
    expect((await store.get(id))?.chunks).toBe(2)
    await store.leave(processes[0] ?? '') // as if the process had been killed
    const two = open([agent], store)
    await two.app.ready()
    expect(await ended(two, `/agent/chat/runs/${id}`)).toMatchObject({ status: 'done', attempt: 2 })
    const chunks = await two.send(`GET /agent/chat/runs/${id}/chunks`)
    expect(await readLines(chunks)).toEqual(['a1', 'a2', 'a3', 'end'])
    expect(titles).toEqual([1])
  })

  it('keeps a claimed run while its user is looked up slowly', async () => {
    const store = memoryRuns()
    const attempts: number[] = []
    const agent = createAgent('slow', {
      durable: true,
      handler(ctx) {
        attempts.push(ctx.run.attempt)
        return ctx.run.attempt === 1 ? new Promise(() => {}) : 'done'
      },
    })
    const one = open([agent], store)
    const response = await one.send('POST /agent/slow', { user: 'ada', headers: { prefer: 'respond-async' } })
    const path = response.headers.get('location') ?? ''
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { opened, open: find } = gate()
    let lookups = 0
    const two = open([agent], store, { beforeLookup: () => ((lookups += 1), opened) })
    await two.app.ready()
    one.app.drain()
    await passTime(vi.waitUntil(() => lookups > 0, { interval: 10 }))
    await vi.advanceTimersByTimeAsync(30_000) // several renewals of the lease
    find()
    vi.useRealTimers()
    expect(await ended(two, path, 'ada')).toMatchObject({ status: 'done', attempt: 2 })
    expect([attempts, lookups]).toEqual([[1, 2], 1])
  })

  it('keeps the runs of an unknown agent in the queue, and reports the agent once', async () => {
    const store = memoryRuns()
    const agent = createAgent('known', { durable: true, handler: () => 1 })
    const one = open([createAgent('unknown', { durable: true, handler: () => new Promise(() => {}) })], store)
    const response = await one.send('POST /agent/unknown', { headers: { prefer: 'respond-async' } })
    await one.app.close()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const two = open([agent], store)
    await two.app.ready()
    await vi.advanceTimersByTimeAsync(300_000)
    vi.useRealTimers()
    expect(await store.get(response.headers.get('run-id') ?? '')).toMatchObject({ status: 'queued' })
    const lines = two.lines.filter(({ agent: name }) => name === 'unknown')
    expect(lines).toMatchObject([{ level: 'warn' }])
  })

  it('continues runs after the store was unavailable when the process started', async () => {
    const store = memoryRuns()
    const one = open([createAgent('job', { durable: true, handler: () => new Promise(() => {}) })], store)
    const response = await one.send('POST /agent/job', { headers: { prefer: 'respond-async' } })
    await one.app.close()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const join = vi.spyOn(store, 'join').mockRejectedValueOnce(new Error('unavailable'))
    const { app, lines } = open([createAgent('job', { durable: true, handler: () => 1 })], store)
    await app.ready()
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    const run = await store.get(response.headers.get('run-id') ?? '')
    expect(run).toMatchObject({ status: 'done', output: '1' })
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([{ error: 'unavailable' }])
    expect(join).toHaveBeenCalledTimes(2)
  })
})
