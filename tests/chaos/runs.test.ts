import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasPostgres, startPostgres, temporaryFolder, type Postgres } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addRow, choose } from './mode.ts'
import { findMistake, readEssay, readStored, statusOf, type EssayInput, type ReadEssay } from './runs/essay.ts'
import { startRunServices, type RunServices } from './runs/run-services.ts'

/** Less than the lease of 30 s, even on a busy machine. The whole form requires a quiet one. */
const MAX_GAP_MS = choose(3_000, 20_000)

describe.runIf(hasPostgres())('runs of durable agents on PostgreSQL', () => {
  let postgres: Postgres
  let services: RunServices | undefined
  const folder = temporaryFolder('runs')
  const notes = join(folder.path, 'notes')
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterEach(async () => {
    await services?.end()
    services = undefined
  })
  afterAll(async () => {
    await postgres.stop()
    folder.remove()
  })

  async function start(count: number, lease = 30): Promise<RunServices> {
    writeFileSync(notes, '')
    services = await startRunServices(count, { database: postgres.url, notes, lease })
    return services
  }

  const readNotes = (): { id: string; part: string; pid: number }[] =>
    readFileSync(notes, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '))
      .map(([id = '', part = '', pid]) => ({ id, part, pid: Number(pid) }))

  /** Waits until a part of a run has begun. Returns the run's id and the index of the process that executes it. */
  async function untilPart(part: string): Promise<{ id: string; owner: number }> {
    await expect.poll(() => readNotes().map((note) => note.part), { timeout: 30_000 }).toContain(part)
    const { id, pid } = readNotes().at(-1) ?? { id: '', pid: 0 }
    return { id, owner: services?.process(0).pid === pid ? 0 : 1 }
  }

  it.each(choose([2, 4], [2]))('streams every answer whole while one of %i processes is killed', async (count) => {
    const { ports, kill, printed } = await start(count)
    const input: EssayInput = { parts: 3, chunks: 20, pause: 10 }
    const target = choose(1_000, 240)
    const essays: ReadEssay[] = []
    let started = 0
    const readAll = async (): Promise<void> => {
      while (started < target) {
        started += 1
        essays.push(await readEssay(ports, input))
      }
    }
    const reading = Promise.all(Array.from({ length: choose(20 * count, 20) }, readAll))
    let kills = 0
    const state = { isDone: false }
    void reading.finally(() => void (state.isDone = true)).catch(() => {})
    // One process at a time: five takeovers without a finished step would fail a run.
    while (!state.isDone) {
      await sleep(choose(1_000, 500))
      if (!state.isDone) await kill(kills++ % count)
    }
    await reading
    expect(kills).toBeGreaterThan(2)
    expect(essays.flatMap((essay) => findMistake(essay, input) ?? [])).toEqual([])
    for (const essay of essays.slice(0, 50)) {
      const { run, chunks } = await readStored(ports[0] ?? 0, essay.id)
      expect(run.status).toBe('done')
      expect(chunks).toEqual(essay.chunks)
    }
    expect(printed()).toBe('')
    // A step that has finished does not run again: only those in flight at a kill do.
    const executed = readNotes().map(({ id, part }) => `${id} ${part}`)
    const resumed = essays.reduce((sum, essay) => sum + essay.resumed, 0)
    expect(new Set(executed).size).toBe(target * input.parts)
    expect(executed.length - new Set(executed).size).toBeLessThanOrEqual(kills * choose(20 * count, 20))
    const longestGap = Math.max(...essays.map((essay) => essay.longestGap))
    addRow({ test: 'runs', processes: count, streams: target, kills, resumed, longestGap: Math.round(longestGap) })
  })

  it('continues on another process without waiting for the lease', async () => {
    const { ports, process } = await start(2)
    const input: EssayInput = { parts: 4, chunks: 40, pause: 20 }
    const reading = readEssay(ports, input)
    const { owner } = await untilPart('1')
    await process(owner).kill()
    const essay = await reading
    expect(findMistake(essay, input)).toBeNull()
    expect(essay.longestGap).toBeLessThan(MAX_GAP_MS)
  })

  it('writes nothing from a process that was stopped and continues later', async () => {
    const { ports, process } = await start(2, 6)
    const input: EssayInput = { parts: 2, chunks: 100, pause: 20 }
    const reading = readEssay(ports, input)
    const { id, owner } = await untilPart('0')
    process(owner).signal('SIGSTOP')
    const other = ports[1 - owner] ?? 0
    await expect.poll(() => statusOf(other, id), { timeout: 30_000 }).toBe('done')
    const before = await readStored(other, id)
    process(owner).signal('SIGCONT')
    await sleep(choose(10_000, 3_000))
    expect(await readStored(other, id)).toEqual(before)
    expect(await readStored(ports[owner] ?? 0, id)).toEqual(before)
    expect(findMistake(before, input)).toBeNull()
    expect(before.run.attempt).toBe(2)
    await reading.catch(() => {})
  })

  it('continues at once after a graceful stop', async () => {
    const { ports, kill, process } = await start(2)
    const input: EssayInput = { parts: 10, chunks: 20, pause: 5 }
    const reading = Array.from({ length: 10 }, () => readEssay(ports, input))
    await untilPart('2')
    await kill(0, 'SIGTERM')
    await kill(1, 'SIGTERM')
    expect(process(1).hasEnded()).toBe(false)
    for (const essay of await Promise.all(reading)) {
      expect(findMistake(essay, input)).toBeNull()
      expect(essay.longestGap).toBeLessThan(MAX_GAP_MS)
    }
  })

  it('ends every run after PostgreSQL was stopped immediately', async () => {
    const own = await startPostgres()
    writeFileSync(notes, '')
    services = await startRunServices(2, { database: own.url, notes, lease: 30 })
    const { ports } = services
    const input: EssayInput = { parts: 6, chunks: 20, pause: 10 }
    const reading = Promise.all(Array.from({ length: 10 }, () => readEssay(ports, input)))
    await untilPart('1')
    await own.kill()
    await sleep(500)
    await own.start()
    const essays = await reading
    expect(essays.flatMap((essay) => findMistake(essay, input) ?? [])).toEqual([])
    await own.stop()
  })
})

describe('runs of durable agents on the embedded database', () => {
  it('continue when their one process was killed and starts again', async () => {
    const folder = temporaryFolder('embedded-runs')
    const notes = join(folder.path, 'notes')
    writeFileSync(notes, '')
    const database = `pglite://${join(folder.path, 'data')}`
    const services = await startRunServices(1, { database, notes, lease: 30 })
    try {
      const input: EssayInput = { parts: 12, chunks: 20, pause: 10 }
      const reading = Promise.all(Array.from({ length: 10 }, () => readEssay(services.ports, input)))
      for (const part of choose([' 1 ', ' 3 ', ' 5 ', ' 7 '], [' 1 ', ' 4 '])) {
        await expect.poll(() => readFileSync(notes, 'utf8'), { timeout: 60_000 }).toContain(part)
        await services.kill(0)
      }
      const essays = await reading
      expect(essays.flatMap((essay) => findMistake(essay, input) ?? [])).toEqual([])
      expect(essays.some(({ resumed }) => resumed > 0)).toBe(true)
    } finally {
      await services.end()
      folder.remove()
    }
  })
})
