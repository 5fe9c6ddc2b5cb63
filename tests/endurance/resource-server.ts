// The server of the resource tests. Its environment sets the rows and the store. On a call of the agent `start`, the
// same process starts more servers, so that six can start at the same time.
import { setFlagsFromString } from 'node:v8'
import { openDatabase, table, type TableOptions } from '@sdk/database'
import {
  createAgent,
  createApp,
  createResource,
  createRouter,
  type Log,
  memoryStore,
  serve,
  type Server,
  type StoreSource,
} from '@sdk/server'
import { z } from 'zod'

/** The variant of a server: `second` has two more fields, `owned` stores the creator of a row. */
export type Plan = z.output<typeof Plan>
const Plan = z.object({ url: z.string(), version: z.enum(['first', 'second', 'owned']), owner: z.string() })

/** An item as clients see it. */
export interface Item {
  readonly id: number
  readonly title: string
  readonly priority: number
  readonly score: number | null
  readonly dueAt: string | null
  readonly dueDate: string | null
  readonly isDone: boolean
  readonly data: unknown
  readonly createdAt: string
  readonly updatedAt: string
}

/** A counter as clients see it. */
export interface Counter {
  readonly id: number
  readonly count: number
  readonly left: number
  readonly right: number
  readonly red: number
  readonly green: number
  readonly blue: number
}

// Optimizing the embedded PostgreSQL takes longer than these tests run.
setFlagsFromString('--liftoff-only')

const First = z.object({
  title: z.string().max(255),
  priority: z.int().default(0),
  score: z.number().nullable().default(null),
  dueAt: z.iso.datetime({ offset: true }).nullable().default(null),
  dueDate: z.iso.date().nullable().default(null),
  isDone: z.boolean().default(false),
  data: z.unknown().optional(),
})
const Second = First.extend({ label: z.string().max(50).default('none'), size: z.int().nullable().default(null) })
const number = z.int().default(0)
const Counters = z.object({ count: number, left: number, right: number, red: number, green: number, blue: number })

const quiet = (): void => {}
/** Prints only errors, which the tests check. */
const log: Log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (message, fields) => console.log(JSON.stringify({ message, ...fields })),
}

const running = new Map<string, () => Promise<void>>()

const start = createAgent('start', { input: Plan, handler: async (_ctx, plan) => ({ url: (await run(plan)).url }) })

const stop = createAgent('stop', {
  input: z.object({ url: z.string() }),
  handler: async (_ctx, { url }) => {
    await running.get(url)?.()
    running.delete(url)
  },
})

async function run({ url, version, owner }: Plan): Promise<Server> {
  const database = url === 'memory' ? null : openDatabase(url)
  const storeOf = (name: string, options: TableOptions = {}): StoreSource =>
    database === null ? memoryStore() : table(name, { ...options, database })
  const assigned = { owner: 'string', rank: 'integer' } as const
  const items = createResource('items', {
    schema: version === 'second' ? Second : First,
    store: storeOf('items', version === 'owned' ? { assigned } : {}),
    access: 'public',
    filter: ['title', 'priority', 'score', 'dueAt', 'dueDate', 'isDone'],
    sort: ['title', 'priority', 'dueAt', 'createdAt'],
    ...(version === 'owned' && { assign: () => ({ owner, rank: owner.length }) }),
  })
  const counters = createResource('counters', { schema: Counters, store: storeOf('counters'), access: 'public' })
  const router = createRouter().resource('v1', items).resource('v1', counters)
  const server = await serve(createApp({ router, agents: [start, stop], rateLimit: false, log }), {
    port: 0,
    signals: false,
  })
  running.set(server.url, async () => {
    await server.close()
    await database?.close()
  })
  return server
}

const server = await run({ url: process.env['DATABASE_URL'] ?? 'memory', version: 'first', owner: '' })
console.log(server.url)
