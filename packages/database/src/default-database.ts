import type { Database } from './database.ts'
import { defaultDatabaseUrl } from './database-url.ts'
import { openDatabase } from './open-database.ts'

/** A part in a database that others use too. */
export interface DatabaseShare {
  readonly database: Promise<Database>
  /** Gives it back; the last one to do so closes the database. */
  release(): Promise<void>
}

type SharedDatabase = Pick<DatabaseShare, 'database'> & { users: number }

/** The one that is open, so that all tables of a program are in one database, also where that is `pglite://memory`. */
let sharedDatabase: SharedDatabase | null = null

/** What the next opening waits for: a directory is free once its last user closed it. */
let closing: Promise<void> = Promise.resolve()

/** A part in the database that `DATABASE_URL` names, else the embedded one; opened by the first who needs it. */
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

/** A part in a database whose owner closes it. */
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
  // An opening that failed left nothing to close.
  const closed = released.database.then(
    (database) => database.close(),
    () => {},
  )
  // The failure is reported to the caller; the next opening does not fail because of it.
  closing = closed.catch(() => {})
  await closed
}
