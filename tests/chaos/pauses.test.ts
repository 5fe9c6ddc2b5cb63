import { openDatabase, postgresRuns, type Database } from '@sdk/database'
import { createApp, memoryRuns, type Agent, type App, type Log, type RunStore } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../endurance/random.ts'
import { addRow, choose, secondsSince } from './mode.ts'
import { AGENTS, SCHEDULES, startRun, toRunApps, untilEnded, type Random, type RunApps } from './pauses/schedules.ts'

const SEED = Number(process.env['SDK_SEED'] ?? 17)

const quiet = (): void => {}
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

/** The number of schedules that run at once. */
const WIDTH = 20

interface Opened {
  readonly apps: RunApps
  close(): Promise<void>
}

/** Opens two apps that share their runs. */
async function open(kind: string): Promise<Opened> {
  const databases: Database[] = []
  const stores: RunStore[] = []
  const found = DATABASE_KINDS.find((one) => one.kind === kind)
  if (found === undefined) stores.push(memoryRuns())
  else {
    // Embedded databases have one process.
    const url = await found.url()
    for (let index = 0; index < (kind === 'postgres' ? 2 : 1); index++) databases.push(openDatabase(url))
    for (const database of databases) stores.push(postgresRuns({ database, log }))
  }
  const agents = AGENTS as readonly Agent[]
  const toApp = (index: number): App =>
    createApp({ agents, log, runs: stores[index % stores.length] as RunStore, rateLimit: false })
  const apps = [toApp(0), toApp(1)]
  const close = async (): Promise<void> => {
    for (const app of apps) await app.close()
    await Promise.all(stores.map((store) => store.close()))
    await Promise.all(databases.map((database) => database.close()))
  }
  return { apps: toRunApps(apps), close }
}

/** Returns numbers from 0 to 1 that depend only on the seed. */
function toNumbers(seed: number): Random {
  const { below } = createRandom(seed)
  return () => below(1_000_000) / 1_000_000
}

const here = DATABASE_KINDS.filter(({ isHere }) => isHere).map(({ kind }) => kind)
// PGlite runs the statements of PostgreSQL, so a short run uses only one of them.
const kinds = ['memory', ...choose(here, here.slice(-1))]

describe.each(kinds)('sleeps and waits of runs on %s', (kind) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open(kind)
  })
  afterAll(() => opened.close())

  it('have the outcomes of the contract in random schedules', { timeout: choose(1_800_000, 300_000) }, async () => {
    const began = performance.now()
    const total = choose(1_000, 40)
    const names = Object.keys(SCHEDULES)
    const counts = new Map<string, number>()
    const wrong: string[] = []
    let next = 0
    const work = async (): Promise<void> => {
      for (let number = next++; number < total; number = next++) {
        const name = names[number % names.length] ?? ''
        const { allowed, found } = (await SCHEDULES[name]?.(opened.apps, toNumbers(SEED * 1_000_003 + number))) ?? {
          allowed: [],
          found: '',
        }
        if (!allowed.includes(found)) wrong.push(`${number} ${name}: ${found}`)
        counts.set(`${name}: ${found}`, (counts.get(`${name}: ${found}`) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: WIDTH }, work))
    expect(wrong, `seed ${SEED}`).toEqual([])
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(total)
    const timeouts = counts.get('event against timeout: EVENT_SENT, failed EVENT_TIMEOUT') ?? 0
    const accepted = counts.get('event against timeout: 204, done ada') ?? 0
    expect(Math.min(timeouts, accepted)).toBeGreaterThan(choose(0, -1))
    addRow({ name: `random pauses on ${kind}`, schedules: total, accepted, timeouts, seconds: secondsSince(began) })
  })

  it('continue one run with all events of many waits', { timeout: choose(600_000, 300_000) }, async () => {
    const count = choose(1_000, 100)
    const random = toNumbers(SEED)
    const path = await startRun(opened.apps, 'many', { count })
    const ids = Array.from({ length: count }, (_, id) => ({ id, place: random() })).toSorted(
      (a, b) => a.place - b.place,
    )
    const began = performance.now()
    for (let at = 0; at < count; at += WIDTH)
      await Promise.all(
        ids.slice(at, at + WIDTH).map(async ({ id }) => {
          const { status } = await opened.apps.send(`POST ${path}/events/approval?id=${id}`, { by: `${id}` })
          expect(status).toBe(204)
        }),
      )
    const run = await untilEnded(opened.apps, path)
    expect(run).toMatchObject({ status: 'done', output: Array.from({ length: count }, (_, id) => `${id}`) })
    addRow({ name: `${count} waits on ${kind}`, attempts: run.attempt, seconds: secondsSince(began) })
  })
})
