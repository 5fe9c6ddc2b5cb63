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

/** The open database, so that all tables of a program share one, including `pglite://memory`. */
let sharedDatabase: SharedDatabase | null = null

/** The promise that the next open waits for: a directory is free once its last user has closed it. */
let closing: Promise<void> = Promise.resolve()

/** Returns a reference to the database of `DATABASE_URL`, or to the embedded one; the first caller opens it. */
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

/** Returns a reference to a database that its owner closes. */
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
  // A failed open left nothing to close.
  const closed = released.database.then(
    (database) => database.close(),
    () => {},
  )
  // The caller receives the failure; the next open does not fail because of it.
  closing = closed.catch(() => {})
  await closed
}
