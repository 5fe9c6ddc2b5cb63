import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasPostgres, startPostgres, temporaryFolder, type Postgres } from '@sdk/test-kit'
import { describe, expect, it, vi } from 'vitest'
import { addRow, choose, secondsSince } from './mode.ts'
import { findMistakes, longestGapOf, readEssays, type EssayInput, type ReadEssay } from './runs/essay.ts'
import { startRunServices, type RunServices } from './runs/run-services.ts'

/** Waits until a part has begun this many times. */
async function untilPart({ notes }: RunServices, part: number, executions: number): Promise<void> {
  const begun = (): number => notes().filter(({ step }) => step === `${part}`).length
  // Not `expect.poll`, which fails in a concurrent test as soon as another test of the file has ended.
  await vi.waitFor(() => expect(begun()).toBeGreaterThanOrEqual(executions), { timeout: 120_000 })
}

/** Stops PostgreSQL as `pg_ctl stop -m immediate` does, and starts it again. */
async function restartImmediately(postgres: Postgres): Promise<void> {
  postgres.signal('SIGQUIT')
  await sleep(300)
  await postgres.kill()
  await postgres.start()
}

describe.concurrent('runs of durable agents', () => {
  it.runIf(hasPostgres())('end although PostgreSQL stops while they run or are taken over', async () => {
    const postgres = await startPostgres()
    const services = await startRunServices(2, postgres.url)
    const input: EssayInput = choose({ parts: 40, chunks: 5, pause: 10 }, { parts: 12, chunks: 5, pause: 10 })
    const essays: ReadEssay[] = []
    const began = performance.now()
    const times = choose(10, 1)
    for (let time = 0; time < times; time++) {
      const reading = readEssays(services.ports, input, { total: 20, readers: 20 })
      await untilPart(services, 1, 20 * (time + 1))
      if (choose(true, false)) await restartImmediately(postgres)
      await untilPart(services, 4, 20 * (time + 1))
      // The other process looks for lost runs once a second, so PostgreSQL stops before, during or after the takeover.
      await services.process(0).kill()
      await sleep((time * 1_200) / times)
      await Promise.all([restartImmediately(postgres), services.start(0)])
      essays.push(...(await reading))
    }
    expect(findMistakes(essays, input)).toEqual([])
    const [gap, seconds] = [longestGapOf(essays), secondsSince(began)]
    addRow({ name: 'stops of PostgreSQL', streams: essays.length, stops: choose(2, 1) * times, 'gap ms': gap, seconds })
    await services.end()
    await postgres.stop()
  })

  const limits = { timeout: choose(900_000, 300_000) }
  it('continue on the embedded database when its one process was killed and starts again', limits, async () => {
    const folder = temporaryFolder('embedded-runs')
    const services = await startRunServices(1, `pglite://${join(folder.path, 'data')}`)
    const input: EssayInput = choose({ parts: 20, chunks: 10, pause: 10 }, { parts: 8, chunks: 5, pause: 10 })
    const began = performance.now()
    const total = choose(200, 5)
    const reading = readEssays(services.ports, input, { total, readers: total })
    const kills = choose(8, 1)
    for (let kill = 1; kill <= kills; kill++) {
      // Every run finishes a step in between. A process that lives for a fixed time may not even open the database.
      await untilPart(services, kill * 2, total)
      await services.kill(0)
    }
    const essays = await reading
    expect(findMistakes(essays, input)).toEqual([])
    expect(essays.some(({ resumed }) => resumed > 0)).toBe(true)
    const [gap, seconds] = [longestGapOf(essays), secondsSince(began)]
    addRow({ name: 'streams of runs, PGlite', streams: essays.length, kills, 'gap ms': gap, seconds })
    await services.end()
    folder.remove()
  })
})
