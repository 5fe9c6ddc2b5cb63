import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import pg from 'pg'
import type { Backend } from './database.ts'
import { lockDirectory } from './directory-lock.ts'
import { openFromTemplate } from './template.ts'

/** PostgreSQL inside this process, in a directory, or in memory when that is null. */
export function createPgliteBackend(directory: string | null): Backend {
  return directory === null ? open(null) : share(resolve(directory))
}

interface Shared {
  readonly backend: Backend
  users: number
}

/**
 * The directories open in this process. Auth and tables that name the same one must meet in one
 * engine: a second engine on the same files would lose rows just as a second process does.
 */
const openDirectories = new Map<string, Shared>()

function share(directory: string): Backend {
  const shared = openDirectories.get(directory) ?? { backend: open(directory), users: 0 }
  openDirectories.set(directory, shared)
  shared.users += 1
  return {
    ...shared.backend,
    async close() {
      shared.users -= 1
      if (shared.users > 0) return
      openDirectories.delete(directory)
      await shared.backend.close()
    },
  }
}

function open(directory: string | null): Backend {
  const engine = createEngine(directory)
  const pool = new PglitePool(engine)
  return {
    kind: 'pglite',
    pool,
    async close() {
      await pool.end()
      await engine.close()
    },
  }
}

interface Engine {
  /** Opens on the first call, and again after a failure. */
  open(): Promise<void>
  /** A connection for the pg driver; only once open. */
  connect(): pg.ClientConfig
  close(): Promise<void>
}

function createEngine(directory: string | null): Engine {
  let opening: Promise<Opened> | null = null
  let opened: Opened | null = null
  return {
    async open() {
      opening ??= openPglite(directory)
      try {
        opened = await opening
      } catch (error) {
        opening = null
        throw error
      }
    },
    connect() {
      if (!opened) throw new Error('The embedded database is not open')
      return opened.connect()
    },
    async close() {
      // An opening that failed left nothing to close, and was reported to whoever waited for it.
      const closing = await opening?.catch(() => null)
      await closing?.close()
    },
  }
}

interface Opened {
  connect(): pg.ClientConfig
  close(): Promise<void>
}

async function openPglite(directory: string | null): Promise<Opened> {
  if (directory !== null) await mkdir(dirname(directory), { recursive: true })
  const unlock = directory === null ? () => {} : lockDirectory(directory)
  try {
    // Imported late: with a PostgreSQL server nobody pays for the embedded one.
    const [{ PGlite }, { createPgConfig }] = await Promise.all([
      import('@electric-sql/pglite'),
      import('@electric-sql/pglite/node-postgres'),
    ])
    const pglite = await openFromTemplate(PGlite, directory)
    return {
      connect: () => createPgConfig(pglite),
      async close() {
        await pglite.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** A pg pool of the one connection that PGlite has, which opens the engine when first used. */
class PglitePool extends pg.Pool {
  readonly #engine: Engine

  constructor(engine: Engine) {
    super({
      max: 1,
      idleTimeoutMillis: 0,
      // A query that waits this long for the only connection waits for itself: inside a
      // transaction somebody asked the database instead of the transaction.
      connectionTimeoutMillis: 30_000,
      Client: class extends pg.Client {
        constructor() {
          super(engine.connect())
        }
      },
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types do not say
      onConnect: resetSession,
    })
    this.#engine = engine
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const opened = this.#engine.open()
    if (!callback) return opened.then(() => super.connect())
    opened.then(
      () => super.connect(callback),
      (error: Error) => callback(error, undefined, () => {}),
    )
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void

/** A new connection to a server starts clean; here all share one session, left as the last one dropped it. */
async function resetSession(client: pg.ClientBase): Promise<void> {
  await client.query('rollback')
  await client.query('discard all')
}
