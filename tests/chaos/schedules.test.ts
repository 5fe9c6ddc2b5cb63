import { join } from 'node:path'
import { openDatabase, postgresRuns, type Database } from '@sdk/database'
import type { Run } from '@sdk/protocol'
import { createDatabase, hasPostgres, spawnNode, type NodeProcess } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addRow, choose, secondsSince } from './mode.ts'
import type { ScheduleServiceOptions } from './runs/schedule-service.ts'

const MINUTE = 60_000
/** The number of ticks while the processes run. */
const TICKS = choose(100, 15)

/** The maximum time after a tick at which its run has started, in ms. The short form runs beside other tests. */
const MAX_LATE_MS = choose(1_000, 5_000)

interface Tick {
  readonly agent: string
  readonly tick: string
  readonly late: number
}

describe.runIf(hasPostgres())('schedules on PostgreSQL', () => {
  let url: string
  let database: Database
  const services: NodeProcess[] = []
  beforeEach(async () => {
    url = await createDatabase()
    database = openDatabase(url)
    await database.query('create table ticks (agent text, tick text, late float8, pid int)')
  })
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop('SIGKILL')))
    await database.close()
  })

  async function start(options: Pick<ScheduleServiceOptions, 'skew' | 'agents' | 'clock'>): Promise<NodeProcess> {
    const file = join(import.meta.dirname, 'runs/schedule-service.ts')
    const args = [JSON.stringify({ database: url, ...options } satisfies ScheduleServiceOptions)]
    const service = await spawnNode({ file, args, ready: /http:\S+/, env: { NODE_ENV: 'production' } })
    services.push(service)
    return service
  }

  const ticks = (): Promise<Tick[]> => database.query<Tick>('select agent, tick, late from ticks order by tick')

  /** Waits until a process has begun its schedules. */
  async function untilBegun(count: number): Promise<void> {
    const begun = async (): Promise<unknown> =>
      (await database.query<{ count: number }>('select count(*)::int from sdk_run_schedules'))[0]?.count
    await expect.poll(begun).toBe(count)
  }

  it(`start ${TICKS} runs for ${TICKS} ticks in 4 processes with clocks 2 s apart, and 1 run after they were down`, async () => {
    const began = performance.now()
    const first = Date.parse('2026-11-18T07:00:00Z')
    await database.query('create table moved_clock as select $1::float8 as now', [first - 500])
    const move = (ms: number): Promise<unknown> => database.query('update moved_clock set now = now + $1', [ms])
    const skews = [-3_000, -1_000, 1_000, 3_000]
    await Promise.all(skews.map((skew) => start({ skew, agents: 1, clock: 'moved_clock' })))
    await untilBegun(1)
    const expected = Array.from({ length: TICKS }, (_, index) => new Date(first + index * MINUTE).toISOString())
    for (let count = 1; count <= TICKS; count++) {
      await move(count === 1 ? 1_000 : MINUTE)
      await expect.poll(async () => (await ticks()).length, { interval: 10 }).toBe(count)
    }
    expect((await ticks()).map(({ tick }) => tick)).toEqual(expected)
    expect(await database.query('select count(*)::int from sdk_runs')).toEqual([{ count: TICKS }])
    await Promise.all(services.splice(0).map((service) => service.stop('SIGKILL')))
    await move(5 * MINUTE)
    await Promise.all(skews.map((skew) => start({ skew, agents: 1, clock: 'moved_clock' })))
    await expect.poll(async () => (await ticks()).length).toBe(TICKS + 1)
    expect((await ticks()).at(-1)?.tick).toBe(new Date(first + (TICKS + 4) * MINUTE).toISOString())
    await move(MINUTE)
    await expect.poll(async () => (await ticks()).length).toBe(TICKS + 2)
    addRow({ name: 'ticks in 4 processes', ticks: TICKS + 2, runs: TICKS + 2, seconds: secondsSince(began) })
  })

  it('are on time while many runs sleep, which use no memory', async () => {
    const began = performance.now()
    const [sleepers, agents, minutes] = [choose(100_000, 3_000), choose(100, 50), choose(3, 1)]
    const store = postgresRuns({ database })
    await store.ready()
    // The first tick is a few seconds after the runs have been created.
    const clock = MINUTE - ((await store.now()) % MINUTE) - choose(45_000, 12_000)
    await store.close()
    const service = await start({ skew: 0, agents, clock })
    await untilBegun(agents)
    const post = (): Promise<Response> =>
      fetch(`${service.url}/agent/sleeper`, { method: 'POST', headers: { prefer: 'respond-async' } })
    const isAsleep = async (run: Run): Promise<boolean> =>
      ((await (await fetch(`${service.url}/agent/sleeper/runs/${run.id}`)).json()) as Run).status === 'waiting'
    const memory = async (): Promise<{ used: number; rss: number }> =>
      (await fetch(`${service.url}/api/memory`)).json() as Promise<{ used: number; rss: number }>
    const sleep = async (): Promise<void> => {
      const runs = await Promise.all(Array.from({ length: 100 }, async () => (await (await post()).json()) as Run))
      await expect.poll(async () => (await Promise.all(runs.map(isAsleep))).every(Boolean)).toBe(true)
    }
    await sleep()
    const before = await memory()
    for (let round = 0; round < choose(5, 1); round++) await sleep()
    await database.query(
      `insert into sdk_runs (id, agent, caller, print, address, is_stream, keep_for, status, epoch, due_at, waiting, waits)
      select md5(number::text), agent, 'sleeper ' || number, print, address, is_stream, keep_for, status, epoch, due_at,
        waiting, waits
      from (select * from sdk_runs where agent = 'sleeper' limit 1) as one, generate_series(1, $1::int) as number`,
      [sleepers - choose(600, 200)],
    )
    const done = async (): Promise<number> => (await ticks()).length
    await expect.poll(done, { timeout: (minutes + 1) * MINUTE, interval: 200 }).toBe(agents * minutes)
    const after = await memory()
    const lates = (await ticks()).map(({ late }) => late).toSorted((a, b) => a - b)
    const late = Math.round(lates[Math.ceil(lates.length * 0.99) - 1] ?? Number.NaN)
    const growth = Math.round((after.used - before.used) / 1_048_576)
    const rss = Math.round((after.rss - before.rss) / 1_048_576)
    const row = { sleepers, ticks: lates.length, 'late p99 ms': late, 'memory MB': growth, 'rss MB': rss }
    console.log('schedules beside sleeping runs', row)
    addRow({ name: 'ticks beside sleeping runs', ...row, seconds: secondsSince(began) })
    expect(lates[0]).toBeGreaterThanOrEqual(0)
    expect(late).toBeLessThanOrEqual(MAX_LATE_MS)
    expect(growth).toBeLessThanOrEqual(10)
    expect(await database.query("select count(*)::int from sdk_runs where status = 'waiting'")).toEqual([
      { count: sleepers },
    ])
  })
})
