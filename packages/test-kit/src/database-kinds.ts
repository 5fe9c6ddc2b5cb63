import type { Pool } from 'pg'
import { hasPostgres } from './programs.ts'
import { createDatabase } from './shared-postgres.ts'

/** The members that a database must have so that test files can share it. */
export interface SharedDatabase {
  readonly pool: Pool
  close(): Promise<void>
}

/** A supported kind of database. */
export interface DatabaseKind {
  readonly kind: 'pglite' | 'postgres'
  /** Whether this kind of database is available on this machine. */
  readonly isHere: boolean
  /** Returns the URL of an empty database. */
  url(): Promise<string>
  /** Opens an empty database. Test files in one process share an embedded database, which takes a second to open. */
  open<T extends SharedDatabase>(openDatabase: (url: string) => T): Promise<T>
}

/** All supported kinds of database. */
export const DATABASE_KINDS: readonly DatabaseKind[] = [
  { kind: 'pglite', isHere: true, url: async () => 'pglite://memory', open: openShared },
  { kind: 'postgres', isHere: hasPostgres(), url: createDatabase, open: openServed },
]

/**
 * One kind, and all kinds in `npm run chaos`. For files whose statements are the same on both and use no features in
 * which PGlite, which is PostgreSQL in WebAssembly, differs: sessions, transactions, notifications, files and drivers.
 */
export const ONE_KIND: readonly DatabaseKind[] =
  process.env['SDK_CHAOS'] === 'whole'
    ? DATABASE_KINDS
    : DATABASE_KINDS.filter(({ kind }) => kind === (hasPostgres() ? 'postgres' : 'pglite'))

const EMPTY = `do $$
  declare name text;
  begin
    for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', name);
    end loop;
  end $$;
  create schema public;
  grant usage on schema public to public`

let embedded: SharedDatabase | undefined

/**
 * Empties the embedded database that the test files in a process share, and opens it first if necessary. Only one test
 * may use it at a time.
 */
export async function openShared<T extends SharedDatabase>(openDatabase: (url: string) => T): Promise<T> {
  const database = (embedded as T | undefined) ?? openDatabase('pglite://memory')
  embedded = database
  const client = await database.pool.connect()
  await client.query(EMPTY)
  // Destroys the connection, so that the next one starts a new session.
  client.release(true)
  return { ...database, close: () => Promise.resolve() }
}

async function openServed<T>(openDatabase: (url: string) => T): Promise<T> {
  return openDatabase(await createDatabase())
}

/** Returns the URL of an empty database. PostgreSQL is preferred, because an embedded database takes longer to open. */
export async function emptyDatabase(): Promise<string> {
  return hasPostgres() ? createDatabase() : 'pglite://memory'
}
