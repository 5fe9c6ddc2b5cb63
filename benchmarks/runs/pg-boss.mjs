// pg-boss, with a worker in this process that is woken by notifications and fetches batches.
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { createJobCounter, databaseUrl, measureInserts, NOTES, offer, POOL, VALUE } from './side.mjs'

const BATCH = 50
const jobs = createJobCounter()
const boss = new PgBoss({ connectionString: databaseUrl, max: POOL, useListenNotify: true })
boss.on('error', console.error)
await boss.start()
await boss.createQueue('jobs', { notify: true })
await boss.createQueue('later')
const options = {
  batchSize: BATCH,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 0.5,
}
await boss.work('jobs', options, async (batch) => batch.forEach(jobs.done))

const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL })
await pool.query(NOTES)
const client = await pool.connect()
const db = { executeSql: (text, values) => client.query(text, values) }

const cases = {
  jobs: (task) =>
    jobs.measure(task, (batch) =>
      boss.insert(
        'jobs',
        Array.from({ length: batch }, () => ({ data: VALUE })),
      ),
    ),
  insert: ({ ms }) => measureInserts(client, ms),
  enqueue: ({ ms }) => measureInserts(client, ms, () => boss.send('later', VALUE, { db })),
}
offer(cases)
