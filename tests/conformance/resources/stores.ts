import { openDatabase, table } from '@sdk/database'
import { memoryStore } from '@sdk/server'
import { createDatabase } from '@sdk/test-kit'
import { openDrizzle } from './drizzle.ts'
import type { Kind, StoreCase, Stores } from './store-case.ts'

const ALL: readonly StoreCase[] = [
  { store: 'memoryStore()', isLasting: false, open: openMemory },
  { store: 'table() on PGlite', isLasting: true, open: () => openTables('pglite://memory') },
  { store: 'table() on PostgreSQL', isLasting: true, open: async () => openTables(await createDatabase()) },
  { store: 'drizzleTable()', isLasting: true, open: async () => openDrizzle(await createDatabase()) },
]

/** Every vector of these tests holds for each; the quick part of the tests takes the one in memory alone. */
export const stores: readonly StoreCase[] = ALL.filter(
  ({ isLasting }) => isLasting === (process.env['SDK_TEST_STORES'] === 'databases'),
)

function openMemory(): Promise<Stores> {
  return Promise.resolve({ source: () => Promise.resolve(memoryStore()), close: () => Promise.resolve() })
}

function openTables(url: string): Promise<Stores> {
  const database = openDatabase(url)
  return Promise.resolve({
    source: (_kind: Kind, name: string) => Promise.resolve(table(name, { database })),
    close: () => database.close(),
  })
}
