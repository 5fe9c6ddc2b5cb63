import { join } from 'node:path'
import { type Database, openDatabase } from '@sdk/database'
import { createApp, serve } from '@sdk/server'
import {
  createDatabase,
  freePort,
  hasPostgres,
  hasRedis,
  type NodeProcess,
  spawnNode,
  startPostgres,
  startRedis,
} from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../endurance/random.ts'
import { type Comparison, createComparison } from '../live/comparison.ts'
import { makeChange } from '../live/sql-story.ts'
import { createLiveRouter } from '../live/world.ts'
import { startFront, untilReady } from './cluster/fleet.ts'
import { later } from './cluster/messages.ts'
import type { ServiceOptions } from './live/service.ts'
import { addRow, choose } from './mode.ts'

// The same changes in every run; LIVE_SEED=… uses others.
const SEED = Number(process.env['LIVE_SEED'] ?? 20_262)
const LISTS = choose(40, 12)
const ROUNDS = choose(25, 2)
/** The number of processes of the cluster. */
const PROCESSES = choose(4, 2)
/** The number of comparisons in a test. */
const ALL = LISTS * (ROUNDS + 1)
/** Each round of the whole test starts and stops a server, which takes long on a busy machine. */
const TIMEOUT_MS = choose(1_800_000, 300_000)
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

describe.skipIf(!hasPostgres())(`live lists (LIVE_SEED=${SEED})`, { timeout: TIMEOUT_MS }, () => {
  it('are not stale after the connection that listens was cut', async () => {
    const compared = await inOneProcess('listener cut', await createDatabase(), async ({ database, change }) => {
      await change()
      await database.query(CUT)
      // The app does not hear of these changes.
      await change()
    })
    expect(compared).toBe(ALL)
  })

  it('are not stale after PostgreSQL was killed and restarted', async () => {
    const postgres = await startPostgres()
    try {
      const url = await postgres.createDatabase()
      const compared = await inOneProcess('PostgreSQL restarted', url, async ({ change }) => {
        await change()
        await postgres.kill()
        await postgres.start()
        await change()
      })
      expect(compared).toBe(ALL)
    } finally {
      await postgres.stop()
    }
  })

  it('are not stale after clients were away', async () => {
    const url = await createDatabase()
    const compared = await inOneProcess('clients away', url, async ({ comparison, change, random }) => {
      const away = [...comparison.clients.values()].filter(() => random.below(2) === 0)
      for (const { goAway } of away) goAway()
      await change()
      await later(choose(1_000, 100))
      for (const { comeBack } of away) comeBack()
    })
    expect(compared).toBe(ALL)
  })

  it.skipIf(process.env['SDK_CHAOS'] !== 'whole')(
    'are not stale after clients were away for ten minutes',
    async () => {
      const compared = await inOneProcess(
        'clients away for 10 min',
        await createDatabase(),
        async ({ comparison, change }) => {
          for (const { goAway } of comparison.clients.values()) goAway()
          await change()
          await later(600_000)
          await change()
          for (const { comeBack } of comparison.clients.values()) comeBack()
        },
        1,
      )
      expect(compared).toBe(2 * LISTS)
    },
    900_000,
  )

  it.skipIf(!hasRedis())(
    `are not stale after one of ${PROCESSES} processes with the Redis engine was killed`,
    async () => {
      const [redis, url] = await Promise.all([startRedis(), createDatabase()])
      const database = openDatabase(url)
      const ports = await Promise.all(Array.from({ length: PROCESSES }, freePort))
      const processes = await Promise.all(ports.map((port) => startProcess({ port, database: url, engine: redis.url })))
      await Promise.all(ports.map(untilReady))
      const front = await startFront(ports)
      try {
        const comparison = createComparison(`http://127.0.0.1:${front.port}`)
        const compared = await run('a process killed', { database, comparison }, async ({ change, random }) => {
          const index = random.below(PROCESSES)
          await change()
          await processes[index]?.stop('SIGKILL')
          await change()
          processes[index] = await startProcess({ port: ports[index] ?? 0, database: url, engine: redis.url })
          await change()
        })
        expect(compared).toBe(ALL)
      } finally {
        await front.end()
        await Promise.all(processes.map((one) => one.kill()))
        await database.close()
        await redis.stop()
      }
    },
  )
})

const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'sdk-live'`

/** What happens in each round. */
type Disturb = (round: {
  readonly database: Database
  readonly comparison: Comparison
  readonly random: Random
  change(): Promise<void>
}) => Promise<void>

async function inOneProcess(name: string, url: string, disturb: Disturb, rounds = ROUNDS): Promise<number> {
  const database = openDatabase(url)
  // The changes are made on other connections than those of the app.
  const other = openDatabase(url)
  const app = createApp({ router: await createLiveRouter(database), rateLimit: false, log: SILENT })
  const server = await serve(app, { port: 0, signals: false })
  try {
    return await run(name, { database: other, comparison: createComparison(server.url) }, disturb, rounds)
  } finally {
    await server.close()
    await Promise.all([database.close(), other.close()])
  }
}

async function run(
  name: string,
  { database, comparison }: { database: Database; comparison: Comparison },
  disturb: Disturb,
  rounds = ROUNDS,
): Promise<number> {
  const random = createRandom(SEED)
  const change = async (): Promise<void> => {
    for (let count = 3; count > 0; count--) await makeChange(database, random)
  }
  try {
    for (let count = 0; count < LISTS; count++) await comparison.add(random)
    await comparison.compare()
    for (let round = 0; round < rounds; round++) {
      await disturb({ database, comparison, random, change })
      await comparison.compare()
    }
    addRow({ name: `live lists, ${name}`, comparisons: comparison.count(), longest: comparison.longest() })
    expect(comparison.problems()).toEqual([])
    return comparison.count()
  } finally {
    comparison.close()
  }
}

function startProcess(options: ServiceOptions): Promise<NodeProcess> {
  return spawnNode({
    file: join(import.meta.dirname, 'live/service.ts'),
    args: [JSON.stringify(options)],
    ready: /serves http:\S+/,
    env: { NODE_ENV: 'production' },
  })
}
