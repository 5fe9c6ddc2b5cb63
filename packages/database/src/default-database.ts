import type { Database } from './database.ts'
import { defaultDatabaseUrl } from './database-url.ts'
import { openDatabase } from './open-database.ts'

/** A part in a database that others use too. */
export interface DatabaseShare {
  readonly database: Promise<Database>
  /** Gives it back; the last one to do so closes the database. */
  release(): Promise<void>
}

interface Shared {
  readonly database: Promise<Database>
  users: number
}

/** The one that is open, so that all tables of a program are in one database, also where that is `pglite://memory`. */
let shared: Shared | null = null

/** What the next opening waits for: a directory is free once its last user closed it. */
let closing: Promise<void> = Promise.resolve()

/** A part in the database that `DATABASE_URL` names, else the embedded one; opened by the first who needs it. */
export function shareDefaultDatabase(): DatabaseShare {
  const mine = (shared ??= open(defaultDatabaseUrl()))
  mine.users += 1
  let released: Promise<void> | null = null
  return {
    database: mine.database,
    release() {
      released ??= leave(mine)
      return released
    },
  }
}

/** A part in a database whose owner closes it. */
export function borrowDatabase(database: Database): DatabaseShare {
  return { database: Promise.resolve(database), release: () => Promise.resolve() }
}

function open(url: string): Shared {
  return { database: closing.then(() => openDatabase(url)), users: 0 }
}

async function leave(left: Shared): Promise<void> {
  left.users -= 1
  if (left.users > 0) return
  if (shared === left) shared = null
  // An opening that failed left nothing to close.
  const closed = left.database.then(
    (database) => database.close(),
    () => {},
  )
  // The failure is reported to the caller; the next opening does not fail because of it.
  closing = closed.catch(() => {})
  await closed
}
