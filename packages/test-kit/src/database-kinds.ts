import type { Pool } from 'pg'
import { hasPostgres } from './programs.ts'
import { createDatabase } from './shared-postgres.ts'

/** The members of an open database that sharing requires. */
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
  /** Opens an empty database; the files of a process share an embedded one, which takes a second to open. */
  open<T extends SharedDatabase>(openDatabase: (url: string) => T): Promise<T>
}

/** All kinds of databases. */
export const DATABASE_KINDS: readonly DatabaseKind[] = [
  { kind: 'pglite', isHere: true, url: async () => 'pglite://memory', open: openShared },
  { kind: 'postgres', isHere: hasPostgres(), url: createDatabase, open: openServed },
]

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
 * Empties the embedded database that the files of a process share; opens it first if needed. Only one test may use it
 * at a time.
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

/** Returns the URL of an empty database of any kind. It prefers PostgreSQL: an embedded one takes seconds to open. */
export async function emptyDatabase(): Promise<string> {
  return hasPostgres() ? createDatabase() : 'pglite://memory'
}
