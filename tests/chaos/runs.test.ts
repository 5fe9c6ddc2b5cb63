import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Database } from '@sdk/database'
import type { Run } from '@sdk/protocol'
import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addRow, choose, secondsSince } from './mode.ts'
import {
  findMistakes,
  followEssay,
  longestGapOf,
  readEssays,
  readStored,
  request,
  startRun,
  type EssayInput,
} from './runs/essay.ts'
import { findRepeats, startRunServices, type RunServices } from './runs/run-services.ts'

/** Less than the lease of 30 s, even on a busy machine. The whole form requires a quiet one. */
const MAX_GAP_MS = choose(3_000, 20_000)

describe.runIf(hasPostgres())('runs of durable agents on PostgreSQL', () => {
  let database: Database
  let url: string
  let services: RunServices | undefined
  beforeAll(async () => {
    url = await createDatabase()
    database = openDatabase(url)
  })
  afterAll(async () => {
    await services?.end()
    await database.close()
  })

  /** Returns this many processes. The short tests share three. */
  async function use(count: number): Promise<RunServices> {
    if (services?.ports.length === choose(count, 3)) return services
    await services?.end()
    services = await startRunServices(choose(count, 3), url)
    return services
  }

  /** Returns the number of takeovers of each run. */
  async function takeovers(): Promise<(id: string) => number> {
    const rows = await database.query<{ id: string; epoch: number }>('select id, epoch from sdk_runs')
    const epochs = new Map(rows.map(({ id, epoch }) => [id, epoch]))
    return (id) => (epochs.get(id) ?? 1) - 1
  }

  /** Waits until a part of a run has begun. */
  async function untilPart(notes: RunServices['notes'], run: string, part: number): Promise<void> {
    const hasBegun = (): boolean => notes().some(({ id, step }) => id === run && step === `${part}`)
    await expect.poll(hasBegun).toBe(true)
  }

  /** Waits until a step begins this many times from now on. */
  async function untilStep(notes: RunServices['notes'], step: number, times: number): Promise<void> {
    const begun = (): number => notes().filter((note) => note.step === `${step}`).length
    const before = begun()
    await expect.poll(begun).toBeGreaterThanOrEqual(before + times)
  }

  it('execute runs in processes that start at once on an empty database', async () => {
    const { ports, printed } = await use(8)
    const ids = await Promise.all(
      ports.map(async (port) => (await startRun([port], 'chain', { steps: 2, pause: 1 })).json()),
    )
    expect(ids).toEqual(ports.map(() => [expect.any(String), expect.any(String)]))
    expect(printed()).toBe('')
  })

  const limits = { timeout: choose(900_000, 300_000) }
  it.each(choose([2, 4], [3]))(
    'streams every answer whole while one of %i processes is killed',
    limits,
    async (count) => {
      const { ports, killUntil, notes, printed } = await use(count)
      const input: EssayInput = choose({ parts: 20, chunks: 5, pause: 10 }, { parts: 10, chunks: 5, pause: 10 })
      const total = choose(1_000, 40)
      const began = performance.now()
      const reading = readEssays(ports, input, { total, readers: choose(20 * count, 10) })
      await untilStep(notes, 3, 5)
      const kills = await killUntil(reading, choose(1_000, 400))
      const essays = await reading
      expect(kills).toBeGreaterThan(choose(5, 0))
      expect(findMistakes(essays, input)).toEqual([])
      expect(new Set(essays.map(({ id }) => id)).size).toBe(total)
      for (const { id, chunks } of essays.slice(0, choose(200, 10)))
        expect(await readStored(ports, id)).toMatchObject({ run: { status: 'done' }, chunks })
      expect(findRepeats(notes(), await takeovers())).toEqual([])
      expect(printed()).toBe('')
      const resumed = essays.reduce((sum, essay) => sum + essay.resumed, 0)
      const [gap, seconds] = [longestGapOf(essays), secondsSince(began)]
      addRow({ name: `streams of runs, ${count} processes`, streams: total, kills, resumed, 'gap ms': gap, seconds })
    },
  )

  it('stores every finished step once while processes are killed', async () => {
    const { ports, killUntil, notes, printed } = await use(4)
    // Long enough that processes are killed while runs execute, even if a busy machine delays each kill by seconds.
    const input = { steps: 10, pause: choose(2_000, 250) }
    const total = choose(1_000, 50)
    const began = performance.now()
    const starting = Array.from({ length: total }, async () => {
      const response = await startRun(ports, 'chain', input, 'respond-async')
      return { status: response.status, id: ((await response.json()) as Run).id }
    })
    const ended = async (): Promise<Run[]> => {
      const ids = (await Promise.all(starting)).map(({ id }) => id)
      return Promise.all(ids.map((id) => untilEnded(ports, id)))
    }
    const ending = ended()
    await untilStep(notes, 1, total / 2)
    const kills = await killUntil(ending, choose(2_000, 500))
    const runs = await ending
    expect(new Set(runs.map(({ id }) => id)).size).toBe(total)
    expect(runs.some(({ attempt }) => attempt > 1)).toBe(true)
    expect(runs.filter(({ status }) => status !== 'done')).toEqual([])
    const text = 'select run, array_agg(value::jsonb order by name) as values from sdk_run_steps group by run'
    const rows = await database.query<{ run: string; values: string[] }>(text)
    const stored = new Map(rows.map(({ run, values }) => [run, values]))
    expect(runs.map(({ id }) => stored.get(id))).toEqual(runs.map(({ output }) => output))
    expect(findRepeats(notes(), await takeovers())).toEqual([])
    expect(printed()).toBe('')
    // A fast machine ends all runs in about ten seconds.
    expect(kills).toBeGreaterThan(choose(3, 0))
    const repeated = notes().length - new Set(notes().map(({ id, step }) => `${id} ${step}`)).size
    const seconds = secondsSince(began)
    addRow({ name: 'steps of runs, 4 processes', runs: total, steps: total * input.steps, kills, repeated, seconds })
  })

  it('continues within three seconds in another process', async () => {
    const { ports, process, start, notes } = await use(2)
    const input: EssayInput = choose({ parts: 40, chunks: 10, pause: 10 }, { parts: 6, chunks: 10, pause: 10 })
    let longestGap = 0
    for (let time = 0; time < choose(10, 1); time++) {
      const [port = 0] = ports
      const starting = Array.from({ length: choose(20, 5) }, () => startRun([port], 'essay', input, 'respond-async'))
      const ids = (await Promise.all(starting)).map((response) => response.headers.get('run-id') ?? '')
      const reading = Promise.all(ids.map((id) => followEssay(ports.slice(1), id)))
      await Promise.all(ids.map((id) => untilPart(notes, id, 1)))
      await process(0).kill()
      const essays = await reading
      expect(findMistakes(essays, input)).toEqual([])
      longestGap = Math.max(longestGap, longestGapOf(essays))
      await start(0)
    }
    expect(longestGap).toBeLessThan(MAX_GAP_MS)
    addRow({ name: 'kill to next chunk', kills: choose(10, 1), 'gap ms': longestGap })
  })

  it('continues at once after a graceful stop', async () => {
    const { ports, notes, kill } = await use(2)
    const input: EssayInput = { parts: 6, chunks: 10, pause: 10 }
    const before = notes().length
    const reading = readEssays(ports, input, { total: 10, readers: 10 })
    await expect.poll(() => notes().length).toBeGreaterThan(before + 10)
    for (let index = 0; index < choose(2, 1); index++) await kill(index, 'SIGTERM')
    const essays = await reading
    expect(findMistakes(essays, input)).toEqual([])
    expect(longestGapOf(essays)).toBeLessThan(MAX_GAP_MS)
  })

  it('writes nothing from a process that was stopped and continues later', async () => {
    const { ports, process, notes } = await use(2)
    const [port = 0, ...others] = ports
    const input: EssayInput = { parts: 2, ...choose({ chunks: 150, pause: 100 }, { chunks: 40, pause: 20 }) }
    const id = (await startRun([port], 'essay', input, 'respond-async')).headers.get('run-id') ?? ''
    await untilPart(notes, id, 0)
    const began = performance.now()
    process(0).signal('SIGSTOP')
    const reading = followEssay(others, id)
    // The short test does not wait until the lease of the stopped process has expired.
    if (choose(false, true)) {
      const own = 'select process from sdk_runs where id = $1'
      await database.query(`update sdk_run_processes set until = 'epoch' where process = (${own})`, [id])
    }
    const { pid } = process(0)
    const has = (step: string, isStopped: boolean): boolean =>
      notes().some((note) => note.id === id && note.step === step && (note.pid === pid) === isStopped)
    await expect.poll(() => has('0', false)).toBe(true)
    await sleep(choose(40_000 - (performance.now() - began), 0))
    expect(await (await request(others, `/agent/essay/runs/${id}`)).json()).toMatchObject({ status: 'running' })
    process(0).signal('SIGCONT')
    // It writes while the other process does, and learns from the store that the run has moved.
    await expect.poll(() => has('aborted', true)).toBe(true)
    const essay = await reading
    expect(findMistakes([essay], input)).toEqual([])
    for (const some of [[port], others])
      expect(await readStored(some, id)).toMatchObject({ run: { status: 'done', attempt: 2 }, chunks: essay.chunks })
    const pages = 'select count(distinct epoch)::int as epochs from sdk_run_pages where run = $1'
    expect(await database.query(pages, [id])).toEqual([{ epochs: 1 }])
    addRow({ name: 'SIGSTOP, then SIGCONT', 'gap ms': longestGapOf([essay]) })
  })
})

/** Waits until a run has ended. */
async function untilEnded(ports: readonly number[], id: string): Promise<Run> {
  for (;;) {
    const run = (await (await request(ports, `/agent/chain/runs/${id}?wait=30`)).json()) as Run
    if (run.endedAt !== null) return run
  }
}
