// Our server, with its durable agents. Runs are started by requests, in this process or over HTTP.
import { openDatabase, postgresRuns, table } from '@sdk/database'
import { createAgent, createApp, createLog, createResource, createRouter, serve } from '@sdk/server'
import { z } from 'zod'
import { createJobCounter, databaseUrl, now, offer, repeat, startAll, total, VALUE } from './side.mjs'

const log = createLog({ level: 'error' })
const database = openDatabase(databaseUrl)
const jobs = createJobCounter()
/** The results of streams, whose output is their chunks. */
const streamed = new Map()

const steps = createAgent('steps', {
  durable: true,
  handler: (ctx, { ms }) => repeat(ms, (index) => ctx.step(`step ${index}`, async () => VALUE)),
})
const chunks = createAgent('chunks', {
  durable: true,
  async *handler(ctx, { ms }) {
    const from = performance.now()
    let count = 0
    yield* ctx.step.stream('write', async function* () {
      for (; performance.now() < from + ms; count++) yield VALUE
    })
    // The step is finished when its chunks are stored.
    streamed.set(ctx.run.id, { count, from, to: performance.now() })
  },
})
/** Streams at a rate, with the time of each chunk. */
const paced = createAgent('paced', {
  durable: true,
  async *handler(_ctx, { count, perSecond, delay }) {
    const start = performance.now() + delay
    for (let index = 0; index < count; index++) {
      const wait = start + (index * 1000) / perSecond - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      yield { at: now(), ...VALUE }
    }
  },
})
const job = createAgent('job', {
  durable: true,
  handler: () => {
    jobs.done()
    return null
  },
})

/**
 * Repeats a transaction that inserts a row, and starts a run with it that is due later. It is a run of the app itself,
 * since the unfinished runs of a caller are limited.
 */
const insert = createAgent('insert', {
  durable: true,
  handler: (ctx, { ms, isStarted }) => {
    const at = new Date(Date.now() + 86_400_000)
    return repeat(ms, () =>
      ctx.transaction(async (tx) => {
        await tx.query('insert into notes (text) values ($1)', [VALUE.text])
        if (isStarted) await tx.start(job, VALUE, { at })
      }),
    )
  },
})

const agents = [steps, chunks, paced, job, insert]
const store = table('notes', { database })
const notes = createResource('notes', { schema: z.object({ text: z.string() }), store, access: 'public' })
const runs = postgresRuns({ database, log })
const router = createRouter().resource('v1', notes)
const app = createApp({ agents, router, runs, rateLimit: false, log })
const { port } = await serve(app, { port: 0 })
await runs.ready()

const headers = { 'content-type': 'application/json' }
const post = (path, body, more) =>
  app.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    }),
  )

async function read(response) {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

/** Starts a stream without a reader, and waits until it has ended. */
async function stream(ms) {
  const { id } = await read(await post('/agent/chunks', { ms }, { prefer: 'respond-async' }))
  await read(await app.fetch(new Request(`http://127.0.0.1/agent/chunks/runs/${id}?wait=30`)))
  const found = streamed.get(id)
  streamed.delete(id)
  return found
}

async function insertRows(input) {
  const { id } = await app.start(insert, input)
  const run = await read(await app.fetch(new Request(`http://127.0.0.1/agent/insert/runs/${id}?wait=30`)))
  const { count, from, to } = run.output
  return { count, ms: to - from }
}

const cases = {
  steps: ({ runs: count, ms }) => startAll(count, async () => read(await post('/agent/steps', { ms }))),
  chunks: async ({ runs: count, ms }) => total(await Promise.all(Array.from({ length: count }, () => stream(ms)))),
  jobs: (options) =>
    jobs.measure(options, (batch) => Promise.all(Array.from({ length: batch }, () => app.start(job, VALUE)))),
  insert: ({ ms }) => insertRows({ ms, isStarted: false }),
  enqueue: ({ ms }) => insertRows({ ms, isStarted: true }),
}
offer(cases, port)
