import { type Database, openDatabase, table } from '@sdk/database'
import { memoryStore } from '@sdk/server'
import { createDatabase, openShared } from '@sdk/test-kit'
import { choose } from '../../chaos/mode.ts'
import { openDrizzle } from './drizzle.ts'
import type { Kind, StoreCase, Stores } from './store-case.ts'

const ALL: readonly StoreCase[] = [
  { store: 'memoryStore()', isLasting: false, open: openMemory },
  { store: 'table() on PGlite', isLasting: true, open: async () => openTables(await openShared(openDatabase)) },
  {
    store: 'table() on PostgreSQL',
    isLasting: true,
    open: async () => openTables(openDatabase(await createDatabase())),
  },
  { store: 'drizzleTable()', isLasting: true, open: async () => openDrizzle(await createDatabase()) },
]

/**
 * All kinds of stores; every test must pass for each. The quick tests use only the store in memory. Files use all of
 * them if the driver or the embedding can make a difference: types of values as columns and as parameters (numbers),
 * big values and transactions (writes), two apps and a restart (shared, idempotency).
 */
export const stores: readonly StoreCase[] = ALL.filter(
  ({ isLasting }) => isLasting === (process.env['SDK_TEST_STORES'] === 'databases'),
)

/**
 * The stores with separate code. PGlite is PostgreSQL in WebAssembly and runs the same statements as `table()` on
 * PostgreSQL, so the other files use it only in `npm run chaos`.
 */
export const distinctStores: readonly StoreCase[] = choose(
  stores,
  stores.filter(({ store }) => store !== 'table() on PGlite'),
)

function openMemory(): Promise<Stores> {
  return Promise.resolve({ source: () => Promise.resolve(memoryStore()), close: () => Promise.resolve() })
}

function openTables(database: Database): Stores {
  return {
    source: (_kind: Kind, name: string) => Promise.resolve(table(name, { database })),
    close: () => database.close(),
  }
}
