// absurd, with a worker in this process. Its SQL is not part of the npm package.
import { readFileSync } from 'node:fs'
import { openDatabase } from '@sdk/database'
import { Absurd } from 'absurd-sdk'
import pg from 'pg'
import { databaseUrl, offer, POOL, repeat, startAll, VALUE } from './side.mjs'

/** On PGlite, the pool that our database offers to libraries. It has one connection. */
const db = databaseUrl.startsWith('pglite:')
  ? openDatabase(databaseUrl).pool
  : new pg.Pool({ connectionString: databaseUrl, max: POOL })
await db.query(readFileSync(process.env.BENCH_ABSURD_SQL, 'utf8'))

const absurd = new Absurd({ db, queueName: 'bench' })
await absurd.createQueue()
absurd.registerTask({ name: 'steps' }, ({ ms }, ctx) =>
  repeat(ms, (index) => ctx.step(`step ${index}`, async () => VALUE)),
)
await absurd.startWorker({ concurrency: 20 })

async function start(ms) {
  const { taskID } = await absurd.spawn('steps', { ms })
  const { state, result } = await absurd.awaitTaskResult(taskID)
  if (state !== 'completed') throw new Error(`the task ${taskID} is ${state}`)
  return result
}

const cases = { steps: ({ runs, ms }) => startAll(runs, () => start(ms)) }
offer(cases)
