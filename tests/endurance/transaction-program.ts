// A process that changes rows of two resources together, and stops between them. It waits to be killed.
import { openDatabase, table } from '@sdk/database'
import { createApp, createLog, createRouter } from '@sdk/server'
import { openDrizzle } from '../conformance/resources/drizzle.ts'
import { createTasks } from '../conformance/resources/showcase.ts'
import type { Kind, Stores } from '../conformance/resources/store-case.ts'

/** The ways to store rows. */
export type RowStoreKind = 'PGlite' | 'PostgreSQL' | 'Drizzle'

const [kind = '', url = ''] = process.argv.slice(2)

async function openStores(): Promise<Pick<Stores, 'source'>> {
  if (kind === 'Drizzle') return openDrizzle(url)
  const database = openDatabase(url)
  return { source: async (_kind: Kind, name: string) => table(name, { database }) }
}

const stores = await openStores()
const happened: string[] = []
const orders = createTasks('orders', await stores.source('tasks', 'orders'), happened)
const items = createTasks('items', await stores.source('tasks', 'items'), happened)

const router = createRouter()
  .resource('v1', orders)
  .resource('v1', items)
  .on('POST /api/orders', {
    handler: (ctx) =>
      ctx.transaction(
        async (tx) => {
          const title = ctx.header('x-title') ?? ''
          const { id } = await tx.rows(orders).create({ title })
          await tx.query('update orders set notes = $1 where id = $2', ['by SQL', id])
          if (title === 'half') await pause()
          await tx.rows(items).create({ title })
        },
        { timeout: 0 },
      ),
  })

async function pause(): Promise<void> {
  console.log('between the rows', happened.length)
  await new Promise((resolve) => setTimeout(resolve, 600_000))
}

const app = createApp({ router, log: createLog({ write() {} }) })
for (const title of ['whole', 'half']) {
  const { status } = await app.fetch(
    new Request('http://localhost/api/orders', { method: 'POST', headers: { 'x-title': title } }),
  )
  console.log(`ordered ${title}: ${status}, heard ${happened.join(', ')}`)
}
