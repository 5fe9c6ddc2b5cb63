import { openDatabase } from '@sdk/database'
import { createApp, serve } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { addRow, choose, secondsSince } from '../chaos/mode.ts'
import { createRandom } from '../endurance/random.ts'
import { createComparison } from './comparison.ts'
import { hugeChanges, makeChange } from './sql-story.ts'
import { createLiveRouter } from './world.ts'

// The same changes in every run; LIVE_SEED=… uses others.
const SEED = Number(process.env['LIVE_SEED'] ?? 20_261)
const LISTS = choose(90, 15)
const COMPARISONS = choose(20_000, 100)
/** The number of rounds between those that compare the lists with `count=true`. */
const COUNTING = 10

/** Lists are advanced in memory, or read again. The short tests run each mode on one of the databases. */
const CASES = DATABASE_KINDS.flatMap((database) =>
  [true, false].map((canAdvance) => ({ ...database, canAdvance })),
).filter(({ kind, canAdvance }) => choose(true, canAdvance === (kind === 'postgres')))

for (const { kind, isHere, open, canAdvance } of CASES) {
  const mode = canAdvance ? 'advanced in memory' : 'read again'
  describe.skipIf(!isHere)(`live lists on ${kind}, ${mode}`, () => {
    it(`equal the responses to GET after random changes (LIVE_SEED=${SEED})`, { timeout: 1_800_000 }, async () => {
      const started = performance.now()
      const random = createRandom(SEED)
      const database = await open(openDatabase)
      const app = createApp({ router: await createLiveRouter(database), rateLimit: false, log: SILENT })
      app['~live'].settings.canAdvance = canAdvance
      const server = await serve(app, { port: 0, signals: false })
      const comparison = createComparison(server.url)
      try {
        for (let count = 0; count < LISTS; count++) await comparison.add(random)
        for (let round = 0; comparison.count() < COMPARISONS; round++) {
          if (random.below(2) === 0) await comparison.replaceOne(random)
          for (let count = 1 + random.below(3); count > 0; count--) await makeChange(database, random)
          await comparison.compare({ isCounting: round % COUNTING === 0 })
        }
        for (const change of choose(hugeChanges(database, random), [])) {
          await change()
          await comparison.compare()
        }
        expect(comparison.problems()).toEqual([])
        const { stats } = app['~live'].inspect()
        expect(stats.advances > 0).toBe(canAdvance)
        const [comparisons, longest] = [comparison.count(), comparison.longest()]
        addRow({
          name: `live lists on ${kind}, ${mode}`,
          comparisons,
          'longest, ms': longest,
          reads: stats.reads,
          seconds: secondsSince(started),
        })
      } finally {
        comparison.close()
        await server.close()
        await database.close()
      }
    })
  })
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
