// Large rows, of which only a few fit into a page, in the store that STORE names.
import { setFlagsFromString } from 'node:v8'
import { openDatabase, table } from '@sdk/database'
import {
  createApp,
  createResource,
  createRouter,
  memoryStore,
  serve,
  type ListQuery,
  type Row,
  type StoreSource,
} from '@sdk/server'
import { z } from 'zod'

// Optimizing the embedded PostgreSQL takes longer than these tests run.
setFlagsFromString('--liftoff-only')

const ROWS = 100
const BYTES = Number(process.env['BYTES'])
const text = (at: number): string => `${at} `.repeat(BYTES).slice(0, BYTES)
const now = '2026-01-31T10:00:00.000Z'

/** A store without support for byte limits, as it was written before they existed. */
const ownStore: StoreSource = {
  async list({ limit, sort, after }: ListQuery) {
    const isDescending = sort[0]?.isDescending === true
    const from = after === null ? null : Number(after[0])
    const sorted = isDescending ? ownRows.toReversed() : ownRows
    const isAfter = ({ id }: Row): boolean => from === null || (isDescending ? id < from : id > from)
    return { rows: sorted.filter(isAfter).slice(0, limit) }
  },
}
const ownRows: Row[] = []

/** The name of a store whose rows are in this process. */
export type ProcessStore = 'memory' | 'own'

const url = process.env['STORE'] ?? ''
const database = url.includes('://') ? openDatabase(url) : null
const sources: Record<ProcessStore, StoreSource> = { memory: memoryStore(), own: ownStore }
const store = database === null ? sources[url as ProcessStore] : table('notes', { database })
if (store === undefined) throw new TypeError(`STORE must be memory, own or a URL, got ${url}`)
const schema = z.object({ text: z.string().max(2_000_000) })
const notes = createResource('notes', { schema, store, access: 'public' })

const router = createRouter()
  .resource('v1', notes)
  .on('GET /api/rows', async (ctx) => {
    const { data, pagination } = await ctx.rows(notes).list({ limit: ROWS })
    return { count: data.length, hasMore: pagination.hasMore }
  })
  .on('GET /api/memory', () => ({ rss: process.resourceUsage().maxRSS * 1024 }))
  .on('POST /api/fill', fill)

/** Called once by the test, since creating an embedded database may take long. */
async function fill(): Promise<void> {
  if (database !== null) {
    await notes.store.ready?.()
    const sql = 'insert into notes (text) select repeat(number::text, $1) from generate_series(100, 199) number'
    return void (await database.query(sql, [Math.floor(BYTES / 3)]))
  }
  for (let at = 0; at < ROWS; at++) {
    if (url === 'own') ownRows.push({ id: at + 1, text: text(at), createdAt: now, updatedAt: now, version: 1 })
    else await notes.store.create?.({ text: text(at) })
  }
}

const server = await serve(createApp({ router, rateLimit: false }), { port: 0 })
console.log(server.url)
