// graphile-worker, with a worker in this process: with its default settings, or one that fetches and completes jobs in
// batches.
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import pg from 'pg'
import { createJobCounter, databaseUrl, measureInserts, NOTES, offer, POOL, VALUE } from './side.mjs'

const BATCH = 50
const jobs = createJobCounter()
const logger = new Logger(() => (level, message) => level === 'error' && console.error(message))
const pgPool = new pg.Pool({ connectionString: databaseUrl, max: POOL })
pgPool.on('error', console.error).on('connect', (client) => client.on('error', console.error))
const utils = await makeWorkerUtils({ pgPool, logger })
await utils.migrate()
const tuned = {
  concurrentJobs: BATCH,
  localQueue: { size: BATCH + 1 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
}
await run({
  preset: { worker: process.env.BENCH_KIND === 'tuned' ? tuned : {} },
  pgPool,
  logger,
  noHandleSignals: true,
  taskList: { job: async () => void jobs.done() },
})

await pgPool.query(NOTES)
const client = await pgPool.connect()
/** The job is due in an hour, so that the worker does not run it. */
const addJob = () =>
  client.query(`select graphile_worker.add_job('later', $1::json, run_at := now() + interval '1 hour')`, [VALUE])

const cases = {
  jobs: (task) =>
    jobs.measure(task, (batch) =>
      utils.addJobs(Array.from({ length: batch }, () => ({ identifier: 'job', payload: VALUE }))),
    ),
  insert: ({ ms }) => measureInserts(client, ms),
  enqueue: ({ ms }) => measureInserts(client, ms, addJob),
}
offer(cases)
