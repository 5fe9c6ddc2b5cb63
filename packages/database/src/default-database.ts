import type { Database } from './database.ts'
import { defaultDatabaseUrl } from './database-url.ts'
import { openDatabase } from './open-database.ts'

/** A reference to a shared database. */
export interface DatabaseShare {
  readonly database: Promise<Database>
  /** Releases the reference; the last release closes the database. */
  release(): Promise<void>
}

type SharedDatabase = Pick<DatabaseShare, 'database'> & { users: number }

/** The open database. All tables in a program share it, even if it is `pglite://memory`. */
let sharedDatabase: SharedDatabase | null = null

/**
 * A promise that resolves when the previous database is closed. The next database waits for it, since both may use the
 * same directory.
 */
let closing: Promise<void> = Promise.resolve()

/** Returns a reference to the database at `DATABASE_URL`, or to the embedded database. The first caller opens it. */
export function shareDefaultDatabase(): DatabaseShare {
  const current = (sharedDatabase ??= openShared(defaultDatabaseUrl()))
  current.users += 1
  let released: Promise<void> | null = null
  return {
    database: current.database,
    release() {
      released ??= releaseShared(current)
      return released
    },
  }
}

/** Returns a reference to a database that is closed by its owner, not when the reference is released. */
export function borrowDatabase(database: Database): DatabaseShare {
  return { database: Promise.resolve(database), release: () => Promise.resolve() }
}

function openShared(url: string): SharedDatabase {
  return { database: closing.then(() => openDatabase(url)), users: 0 }
}

async function releaseShared(released: SharedDatabase): Promise<void> {
  released.users -= 1
  if (released.users > 0) return
  if (sharedDatabase === released) sharedDatabase = null
  // If the database could not be opened, there is nothing to close.
  const closed = released.database.then(
    (database) => database.close(),
    () => {},
  )
  // The caller receives the error, which must not prevent the database from being opened again.
  closing = closed.catch(() => {})
  await closed
}
