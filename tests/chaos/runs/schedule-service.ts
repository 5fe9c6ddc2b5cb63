// One of the processes that start scheduled runs. The clock of its store is moved by the test.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openDatabase, postgresRuns } from '@sdk/database'
import { createAgent, createApp, createRouter, serve, type Agent, type Log } from '@sdk/server'

/** The input from its parent. */
export interface ScheduleServiceOptions {
  readonly database: string
  /** The difference between the clock of this process and the real time, in ms. */
  readonly skew: number
  /** The number of agents with the same schedule. */
  readonly agents: number
  /** The name of a table with the current time, or the difference between the store's clock and the real time in ms. */
  readonly clock: string | number
}

const { database: url, skew, agents: count, clock } = JSON.parse(process.argv[2] ?? '') as ScheduleServiceOptions

const realNow = Date.now
Date.now = () => realNow() + skew

const quiet = (): void => {}
const print = (message: string, fields?: object): void => console.log(message, JSON.stringify(fields))
const log: Log = { debug: quiet, info: quiet, warn: print, error: print }
const database = openDatabase(url)

const agents: Agent[] = Array.from({ length: count }, (_, index) =>
  createAgent(`minute-${index}`, {
    durable: true,
    schedule: '* * * * *',
    async handler(ctx) {
      const tick = ctx.run.scheduledAt?.toISOString()
      const late = (await store.now()) - (ctx.run.scheduledAt?.getTime() ?? 0)
      await database.query('insert into ticks (agent, tick, late, pid) values ($1, $2, $3, $4)', [
        `minute-${index}`,
        tick,
        late,
        process.pid,
      ])
    },
  }),
)

const store = postgresRuns({ database, log })
if (typeof clock === 'number') {
  const now = store.now.bind(store)
  store.now = async () => (await now()) + clock
} else {
  const join = store.join.bind(store)
  store.now = async () => Number((await database.query<{ now: string }>(`select now from ${clock}`))[0]?.now)
  store.join = (process, onNews) => {
    setInterval(() => onNews(null), 25) // notices the moved clock
    return join(process, onNews)
  }
}

const sleeper = createAgent('sleeper', { durable: true, handler: (ctx) => ctx.sleep('a day', '1d') })

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const router = createRouter().on('GET /api/memory', () => {
  collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { used: heapUsed + external, rss }
})
const app = createApp({ agents: [...agents, sleeper], router, log, runs: store, rateLimit: false })
const server = await serve(app, { port: 0 })
console.log(`serves ${server.url}`)
