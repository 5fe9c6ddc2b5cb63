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
 * Every vector of these tests holds for each; the quick part of the tests takes the one in memory alone. Files take all of
 * them where the driver or the embedding can make a difference: types of values as columns and as parameters (numbers,
 * representation, filters), big values and transactions (writes), errors and unique violations (errors, unique), order and
 * collation (walks), two apps and a new start (shared, idempotency).
 */
export const stores: readonly StoreCase[] = ALL.filter(
  ({ isLasting }) => isLasting === (process.env['SDK_TEST_STORES'] === 'databases'),
)

/**
 * The stores with code of their own. PGlite is PostgreSQL in WebAssembly and gets the statements of `table()` on
 * PostgreSQL, so the files about HTTP, access rules, versions and lists take it in `npm run chaos` alone.
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
