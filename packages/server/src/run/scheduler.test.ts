import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, memoryRuns, nextTicks, type RunStore } from '../index.ts'
import { closeAll, open } from './run-app.test.fixture.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

afterEach(async () => {
  vi.useRealTimers()
  await closeAll()
})

/** A store with a clock that is moved. Each process then checks its schedules. */
function createMovedStore(from: string): { store: RunStore; time: () => number; move(ms: number): Promise<void> } {
  let time = Date.parse(from)
  const store = memoryRuns({ now: () => time })
  const listeners = new Set<(run: null) => void>()
  const join = store.join.bind(store)
  store.join = (process, onNews) => (listeners.add(onNews), join(process, onNews))
  const move = async (ms: number): Promise<void> => {
    time += ms
    for (const onNews of listeners) onNews(null)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return { store, time: () => time, move }
}

/** Creates an agent that records its ticks. */
function createTicker(schedule: string | object): {
  agent: unknown
  ticks: string[]
} {
  const ticks: string[] = []
  const handler = (ctx: { run: { scheduledAt: Date | null } }): void =>
    void ticks.push(ctx.run.scheduledAt?.toISOString() ?? 'none')
  return { agent: createAgent('digest', { durable: true, schedule: schedule as string, handler }), ticks }
}

/** Starts an app, and waits until it knows its schedules. */
async function start(agents: readonly unknown[], store: RunStore): Promise<ReturnType<typeof open>> {
  const begun = vi.spyOn(store.schedules, 'begin')
  const app = open(agents, store)
  await app.app.ready()
  await expect.poll(() => begun.mock.settledResults.at(-1)?.type).toBe('fulfilled')
  begun.mockRestore()
  return app
}

describe('schedule', () => {
  it('does not delay the end of the process', async () => {
    const { store } = createMovedStore('2026-11-18T06:00:00Z')
    const { app } = await start([createTicker('0 7 * * *').agent], store)
    vi.useFakeTimers({ toFake: ['setTimeout'] }) // closing would wait for the timer
    await app.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('starts a run without user and input at each tick', async () => {
    const { store, move } = createMovedStore('2026-11-18T06:59:58Z')
    const seen: unknown[] = []
    const agent = createAgent('digest', {
      durable: true,
      schedule: ['0 7 * * *', { cron: '0 9 * * *', timeZone: 'Europe/Berlin' }, '0 8 * * WED'],
      input: z.object({ to: z.string() }).optional(),
      handler: (ctx, input) => void seen.push({ at: ctx.run.scheduledAt, auth: ctx.auth, input, id: ctx.run.id }),
    })
    const app = await start([agent], store)
    expect(seen).toEqual([])
    await move(2_000)
    const at = new Date('2026-11-18T07:00:00Z')
    expect(seen).toEqual([{ at, auth: null, input: undefined, id: expect.any(String) }])
    const { id } = seen[0] as { id: string }
    expect(await app.run(`/agent/digest/runs/${id}`)).toMatchObject({ status: 'done', createdAt: at.toISOString() })
    await move(HOUR - 1)
    expect(seen).toHaveLength(1)
    await move(1) // a tick of two schedules
    expect(seen).toHaveLength(2)
    await move(DAY) // makes up for the latest tick of each schedule
    expect(seen).toHaveLength(4)
    expect(await app.json('POST /agent/digest', { body: { to: 'ada' } })).toMatchObject({ status: 200 })
    expect(seen.at(-1)).toMatchObject({ at: null, input: { to: 'ada' } })
  })

  it('creates 100 runs for 100 ticks in 4 processes', async () => {
    const { store, time, move } = createMovedStore('2026-11-18T06:59:30Z')
    const { agent, ticks } = createTicker('* * * * *')
    for (let process = 0; process < 4; process++) await start([agent], store)
    const first = time() + 30_000
    for (let tick = 0; tick < 100; tick++) await move(MINUTE)
    const expected = Array.from({ length: 100 }, (_, tick) => new Date(first + tick * MINUTE).toISOString())
    expect(ticks).toEqual(expected)
  })

  it('creates one run for the latest tick if all processes were down', async () => {
    const { store, move } = createMovedStore('2026-11-18T06:59:30Z')
    const { agent, ticks } = createTicker('*/5 * * * *')
    await start([agent], store)
    await move(MINUTE)
    await closeAll()
    await move(27 * MINUTE)
    for (let process = 0; process < 2; process++) await start([agent], store)
    await expect.poll(() => ticks).toEqual(['2026-11-18T07:00:00.000Z', '2026-11-18T07:25:00.000Z'])
    await move(5 * MINUTE)
    expect(ticks.slice(2)).toEqual(['2026-11-18T07:30:00.000Z'])
  })

  it('does not start in the past if it is new, changed, or removed and added again', async () => {
    const { store, move } = createMovedStore('2026-11-18T06:59:30Z')
    const hourly = createTicker('0 * * * *')
    await start([hourly.agent], store)
    await move(MINUTE)
    await closeAll()
    await move(45 * MINUTE)
    const changed = createTicker('30 * * * *')
    await start([changed.agent], store)
    await move(MINUTE)
    await closeAll()
    const removed = createAgent('digest', { durable: true, handler: () => 1 })
    await start([removed], store)
    await closeAll()
    await move(2 * HOUR)
    const again = createTicker('30 * * * *')
    await start([again.agent], store)
    await move(1)
    expect([hourly.ticks, changed.ticks, again.ticks]).toEqual([['2026-11-18T07:00:00.000Z'], [], []])
    await move(HOUR)
    expect(again.ticks).toEqual(['2026-11-18T10:30:00.000Z'])
  })

  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-29', '2026-10-25'],
    ['America/New_York', '30 2 * * *', '2026-03-08', '2026-11-01'],
    ['America/New_York', '30 1 * * *', '2026-03-08', '2026-11-01'],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-04', '2026-04-05'],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-10-04', '2026-04-05'],
  ])('runs once a day in %s at %s while the clocks change', async (timeZone, cron, ...changes) => {
    for (const change of changes) {
      const { store, time, move } = createMovedStore(new Date(Date.parse(change) - 3 * DAY).toISOString())
      const { agent, ticks } = createTicker({ cron, timeZone })
      await start([agent], store)
      const end = time() + 6 * DAY
      while (time() < end) await move(HOUR)
      const dates = ticks.map((tick) => new Date(tick).toLocaleDateString('en-CA', { timeZone }))
      expect(new Set(dates).size).toBe(6)
      expect(dates).toHaveLength(6)
      await closeAll()
    }
  })

  it('waits with a timer for the tick, and at most an hour', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse('2026-11-18T05:30:00Z') })
    const store = memoryRuns()
    const now = vi.spyOn(store, 'now')
    const { agent, ticks } = createTicker('0 7 * * *')
    await open([agent], store).app.ready()
    await vi.advanceTimersByTimeAsync(90 * MINUTE - 1)
    expect(ticks).toEqual([])
    expect(now.mock.calls.length).toBeLessThan(5)
    expect(now.mock.calls.length).toBeGreaterThan(1)
    await vi.advanceTimersByTimeAsync(20)
    expect(ticks).toEqual(['2026-11-18T07:00:00.000Z'])
  })

  it('starts the run of a tick after the store was unavailable', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse('2026-11-18T06:59:50Z') })
    const store = memoryRuns()
    const { agent, ticks } = createTicker('* * * * *')
    await open([agent], store).app.ready()
    await vi.advanceTimersByTimeAsync(1_000)
    const create = vi.spyOn(store, 'create').mockRejectedValue(new Error('no database'))
    await vi.advanceTimersByTimeAsync(15_000)
    create.mockRestore()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(ticks).toEqual(['2026-11-18T07:00:00.000Z'])
  })

  it('skips a tick if too many runs are unfinished', async () => {
    const { store, move } = createMovedStore('2026-11-18T06:59:30Z')
    const { agent, ticks } = createTicker('* * * * *')
    const { lines } = await start([agent], store)
    const create = vi.spyOn(store, 'create').mockResolvedValue({ outcome: 'full', id: '' })
    await move(MINUTE)
    create.mockRestore()
    await move(1)
    expect(ticks).toEqual([])
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', agent: 'digest' }))
    await move(MINUTE)
    expect(ticks).toEqual(['2026-11-18T07:01:00.000Z'])
  })

  it.each([
    [{ durable: true, schedule: '0 25 * * *' }, 'agent "digest": schedule: the hour must be within 0–23, got "25"'],
    [{ durable: true, schedule: ['* * * * *', ''] }, 'agent "digest": schedule[1] must be a cron expression'],
    [{ durable: true, schedule: { cron: '* * * * *', timeZone: 'Mars' } }, 'schedule: timeZone must be an IANA'],
    [{ durable: true, schedule: { cron: '* * * * *', zone: 'UTC' } }, 'may contain only cron and timeZone, got zone'],
    [{ durable: true, schedule: 7 }, 'schedule must be a cron expression'],
    [{ durable: true, schedule: Array(101).fill('* * * * *') }, 'at most 100 cron expressions, got 101'],
    [{ schedule: '* * * * *' }, 'schedule must be used with durable: true'],
    [{ durable: true, schedule: '* * * * *', input: z.object({}) }, 'an input schema that accepts undefined'],
  ])('rejects invalid options: %j', (options, message) => {
    const create = (): unknown => createAgent('digest', { ...options, handler: () => 1 } as never)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})

describe('nextTicks', () => {
  it('returns the next ticks of all schedules in order, each once', () => {
    const schedule = ['0 7 * * *', { cron: '0 9 * * *', timeZone: 'Europe/Berlin' }, '0 8 * * *']
    const agent = createAgent('digest', { durable: true, schedule, handler: () => 1 })
    const from = Date.parse('2026-11-18T07:30:00Z')
    expect(nextTicks(agent, 3, from).map((tick) => tick.toISOString())).toEqual([
      '2026-11-18T08:00:00.000Z',
      '2026-11-19T07:00:00.000Z',
      '2026-11-19T08:00:00.000Z',
    ])
    expect(nextTicks(createAgent('plain', { handler: () => 1 }), 3)).toEqual([])
  })
})
