import { openDatabase, type Database } from '@sdk/database'
import type { Run } from '@sdk/protocol'
import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addRow, choose, secondsSince } from './mode.ts'
import { request, startRun } from './runs/essay.ts'
import { startRunServices, type RunServices } from './runs/run-services.ts'

describe.runIf(hasPostgres())('steps in transactions on PostgreSQL', () => {
  let database: Database
  let services: RunServices
  beforeAll(async () => {
    const url = await createDatabase()
    database = openDatabase(url)
    services = await startRunServices(2, url)
  })
  afterAll(async () => {
    await services?.end()
    await database.close()
  })

  it('store every row and start every run once while processes are killed', async () => {
    const { ports, killUntil, notes, printed } = services
    const [steps, total, began] = [5, choose(500, 40), performance.now()]
    const starting = Array.from({ length: total }, async () => {
      const response = await startRun(ports, 'ledger', { steps, pause: choose(200, 60) }, 'respond-async')
      return ((await response.json()) as Run).id
    })
    const ending = Promise.all(starting.map(async (id) => untilEnded(ports, await id)))
    await expect.poll(() => notes().length).toBeGreaterThan(total / 4)
    const kills = await killUntil(ending, choose(1_500, 100))
    const runs = await ending
    expect(runs.filter(({ status }) => status !== 'done')).toEqual([])
    expect(runs.some(({ attempt }) => attempt > 1)).toBe(true)
    const expected = runs.flatMap(({ id }) => Array.from({ length: steps }, (_, step) => `${id} ${step}`)).toSorted()
    const list = async (sql: string): Promise<string[]> =>
      (await database.query<{ one: string }>(sql)).map(({ one }) => one).toSorted()
    expect(await list(`select run || ' ' || step as one from entries`)).toEqual(expected)
    const receipts = `from sdk_runs where agent = 'receipt'`
    const inputs = `(input::jsonb ->> 'run') || ' ' || (input::jsonb ->> 'step')`
    expect(await list(`select ${inputs} as one ${receipts}`)).toEqual(expected)
    await expect.poll(() => list(`select distinct status as one ${receipts}`)).toEqual(['done'])
    expect(printed()).toBe('')
    expect(kills).toBeGreaterThan(choose(4, 0))
    const executed = notes().length
    addRow({
      name: 'steps in transactions',
      runs: total,
      steps: expected.length,
      executed,
      kills,
      seconds: secondsSince(began),
    })
  })
})

/** Waits until a run has ended. */
async function untilEnded(ports: readonly number[], id: string): Promise<Run> {
  for (;;) {
    const run = (await (await request(ports, `/agent/ledger/runs/${id}?wait=30`)).json()) as Run
    if (run.endedAt !== null) return run
  }
}
