// DBOS Transact. Its workflows are started in this process, as its documentation shows.
import { DBOS } from '@dbos-inc/dbos-sdk'
import { databaseUrl, now, offer, POOL, repeat, startAll, VALUE } from './side.mjs'

const steps = DBOS.registerWorkflow(
  (ms) => repeat(ms, (index) => DBOS.runStep(async () => VALUE, { name: `step ${index}` })),
  { name: 'steps' },
)
// Inside a step, DBOS stores only the chunk. Outside, it would also store each write as a step.
const chunks = DBOS.registerWorkflow(
  (ms) => DBOS.runStep(() => repeat(ms, () => DBOS.writeStream('text', VALUE)), { name: 'write' }),
  { name: 'chunks' },
)
const paced = DBOS.registerWorkflow(
  ({ count, perSecond, delay }) => DBOS.runStep(() => write({ count, perSecond, delay }), { name: 'write' }),
  { name: 'paced' },
)

async function write({ count, perSecond, delay }) {
  const start = performance.now() + delay
  for (let index = 0; index < count; index++) {
    const wait = start + (index * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    await DBOS.writeStream('text', { at: now(), ...VALUE })
  }
  await DBOS.closeStream('text')
}

/** Reads a stream in this process: DBOS has no server. */
async function read(handle, took) {
  for await (const { at } of DBOS.readStream(handle.workflowID, 'text')) took.push(now() - at)
}

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: databaseUrl, systemDatabasePoolSize: POOL, logLevel: 'error' })
await DBOS.launch()

const start = async (workflow, input) => (await DBOS.startWorkflow(workflow)(input)).getResult()
const cases = {
  steps: ({ runs, ms }) => startAll(runs, () => start(steps, ms)),
  chunks: ({ runs, ms }) => startAll(runs, () => start(chunks, ms)),
  async latency({ streams, count, perSecond }) {
    const took = []
    const from = now() + 1e6
    const one = async (_, index) => {
      const delay = 1000 + ((index / streams) * 1000) / perSecond // as in latency.ts
      await read(await DBOS.startWorkflow(paced)({ count, perSecond, delay }), took)
    }
    await Promise.all(Array.from({ length: streams }, one))
    return { took, count: took.length, ms: (now() - from) / 1000 }
  },
}
offer(cases)
