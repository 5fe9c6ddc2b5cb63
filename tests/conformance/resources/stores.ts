import { openDatabase, table } from '@sdk/database'
import { memoryStore, type StoreSource } from '@sdk/server'
import { createDatabase } from '@sdk/test-kit'
import { openDrizzle } from './drizzle.ts'

/** Which fields the rows have; the schemas are in showcase.ts. */
export type Kind = 'tasks' | 'documents' | 'members'

/** Somewhere to keep rows, empty at first. */
export interface Stores {
  /** A store by the name of its table: the same name is the same rows, where rows outlive their store. */
  source(kind: Kind, name: string): Promise<StoreSource>
  close(): Promise<void>
}

/** One kind of store. */
export interface StoreCase {
  readonly store: string
  /** Do rows outlive the app? */
  readonly isLasting: boolean
  open(): Promise<Stores>
}

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
