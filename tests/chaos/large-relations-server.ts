// Articles with large related rows, of which only a few fit into a page, in the store that STORE and URL name.
import { setFlagsFromString } from 'node:v8'
import { openDatabase, table } from '@sdk/database'
import { createApp, createRouter, memoryStore, serve } from '@sdk/server'
import { openDrizzle } from '../conformance/resources/drizzle.ts'
import { addRelatedResources } from '../conformance/resources/relations.ts'
import type { Stores } from '../conformance/resources/store-case.ts'

// Optimizing the embedded PostgreSQL takes longer than these tests run.
setFlagsFromString('--liftoff-only')

/** The kind of store that the process uses. */
export type RelatedStore = 'memory' | 'table' | 'drizzle'

const { STORE = '', URL: url = '' } = process.env
const [parents, children, bytes] = ['PARENTS', 'CHILDREN', 'BYTES'].map((name) => Number(process.env[name])) as [
  number,
  number,
  number,
]
const database = url === '' ? null : openDatabase(url)
const tables: Stores = {
  source: async (_kind, name) => (database === null ? memoryStore() : table(name, { database })),
  close: async () => {},
}
const stores = STORE === 'drizzle' ? await openDrizzle(url) : tables
const resources = await addRelatedResources(createRouter(), stores)
const storeOf = (name: string) =>
  resources.entries.flatMap((entry) =>
    entry.kind === 'resource' && entry.resource.name === name ? entry.resource.store : [],
  )[0]

const NEW_POSTS = `select child::text as title, repeat('x', ${bytes}) as body from generate_series(0, ${children - 1}) child`

const router = resources
  .on('GET /api/memory', () => ({ rss: process.resourceUsage().maxRSS * 1024 }))
  .on('POST /api/fill', fill)

/** Called once by the test, since creating an embedded database may take long. */
async function fill(): Promise<void> {
  const [articles, posts] = [storeOf('articles'), storeOf('posts')]
  await articles?.ready?.()
  await posts?.ready?.()
  for (let parentId = 1; parentId <= parents; parentId++) {
    await articles?.create?.({ title: `${parentId}`, body: '' })
    if (database === null) {
      for (let child = 0; child < children; child++)
        await posts?.create?.({ title: `${child}`, body: 'x'.repeat(bytes), parentId })
    } else {
      // Copies are faster: PostgreSQL does not compress them again.
      const source = parentId === 1 ? NEW_POSTS : 'select title, body from posts where parent_id = 1 order by id'
      const sql = `insert into posts (title, body, parent_id) select title, body, ${parentId} from (${source}) post`
      await database.query(sql)
    }
  }
}

const server = await serve(createApp({ router, rateLimit: false }), { port: 0 })
console.log(server.url)
