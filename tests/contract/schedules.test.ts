import { openDatabase, postgresRuns, type Database } from '@sdk/database'
import { createAgent, createApp, type App, type RunStore } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { silent } from './opened-engines.ts'

const MINUTE = 60_000
/** The number of ticks. */
const TICKS = choose(100, 15)
const FIRST = Date.parse('2026-11-18T07:00:00Z')

const kinds = DATABASE_KINDS.filter(({ isHere }) => isHere)

// PGlite runs the statements of PostgreSQL, so a short run uses only one of them.
describe.each(choose(kinds, kinds.slice(-1)))('schedules on $kind', ({ open }) => {
  let database: Database
  let time: number
  const apps: App[] = []
  const stores: RunStore[] = []
  const listeners = new Set<(run: null) => void>()
  const ticks: string[] = []
  const agent = createAgent('digest', {
    durable: true,
    schedule: '* * * * *',
    handler: (ctx) => void ticks.push(ctx.run.scheduledAt?.toISOString() ?? 'none'),
  })

  /** Starts a process whose store has the moved clock, and waits until it knows its schedule. */
  async function start(): Promise<void> {
    const store = postgresRuns({ database, log: silent })
    const join = store.join.bind(store)
    store.join = (process, onNews) => (listeners.add(onNews), join(process, onNews))
    store.now = async () => time
    const { begin } = store.schedules
    let begun = false
    store.schedules.begin = async (schedules) => {
      const lasts = await begin(schedules)
      begun = true
      return lasts
    }
    const app = createApp({ agents: [agent], runs: store, log: silent, rateLimit: false }) as unknown as App
    stores.push(store)
    apps.push(app)
    await app.ready()
    await expect.poll(() => begun).toBe(true)
  }

  const move = (ms: number): void => {
    time += ms
    for (const onNews of listeners) onNews(null)
  }

  async function stop(): Promise<void> {
    await Promise.all(apps.splice(0).map((app) => app.close()))
    await Promise.all(stores.splice(0).map((store) => store.close()))
    listeners.clear()
  }

  beforeEach(async () => {
    database = await open(openDatabase)
    time = FIRST - 500
    ticks.length = 0
  })
  afterEach(async () => {
    await stop()
    await database.close()
  })

  it('start one run for each tick in 4 processes, and one for the latest tick that all of them missed', async () => {
    for (let process = 0; process < 4; process++) await start()
    for (let count = 1; count <= TICKS; count++) {
      move(count === 1 ? 1_000 : MINUTE)
      await expect.poll(() => ticks.length, { interval: 5 }).toBe(count)
    }
    expect(ticks).toEqual(Array.from({ length: TICKS }, (_, index) => new Date(FIRST + index * MINUTE).toISOString()))
    await stop()
    move(5 * MINUTE)
    for (let process = 0; process < 4; process++) await start()
    await expect.poll(() => ticks.slice(TICKS)).toEqual([new Date(FIRST + (TICKS + 4) * MINUTE).toISOString()])
    move(MINUTE)
    await expect.poll(() => ticks.length).toBe(TICKS + 2)
    expect(await database.query('select count(*)::int from sdk_runs')).toEqual([{ count: TICKS + 2 }])
  })
})
