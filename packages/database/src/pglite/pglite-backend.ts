import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { inspect } from 'node:util'
import pg from 'pg'
import type { DatabaseBackend } from '../database.ts'
import { type ChangeListener, createChangeFeed, type ListenForChanges } from '../live/change-feed.ts'
import { isFirst } from '../live/live-call.ts'
import { LIVE_CHANNEL } from '../live/live-triggers.ts'
import { lockDirectory } from './directory-lock.ts'
import { type PgliteEngine, startInlineEngine } from './pglite-engine.ts'
import { reportProgress } from './pglite-progress.ts'
import { PgliteSocket } from './pglite-socket.ts'
import { enforceStatementTimeout, STATEMENT_TIMEOUT_MS } from '../statement-timeout.ts'
import { hasWorkerFile, startThreadEngine } from './pglite-thread.ts'
import { isNewDatabase, startFromTemplate } from './template.ts'

/**
 * Creates a backend that runs PostgreSQL inside this process, in a worker thread. The data is stored in the directory,
 * or in memory if `directory` is null.
 */
export function createPgliteBackend(directory: string | null): DatabaseBackend {
  return directory === null ? openBackend(null) : shareBackend(toRealPath(resolve(directory)))
}

/**
 * Resolves symbolic links, which PGlite does not follow and which would make one directory look like two. The directory
 * does not have to exist.
 */
function toRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(toRealPath(dirname(path)), basename(path))
  }
}

/**
 * The open directories of this process. Auth and tables that use the same directory must share one engine: a second
 * engine on the same files would lose rows, just as a second process would.
 */
const openDirectories = new Map<string, { readonly backend: DatabaseBackend; users: number }>()

function shareBackend(directory: string): DatabaseBackend {
  const shared = openDirectories.get(directory) ?? { backend: openBackend(directory), users: 0 }
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

function openBackend(directory: string | null): DatabaseBackend {
  const engine = createLazyEngine(directory)
  const listeners = new Set<ChangeListener>()
  const pool = new PglitePool(engine, listeners)
  enforceStatementTimeout(pool, STATEMENT_TIMEOUT_MS)
  const changes = createChangeFeed(pool, listenOnPool(pool, listeners))
  return {
    kind: 'pglite',
    pool,
    key: pool,
    async close() {
      await changes.close()
      await pool.end()
      await engine.close()
    },
  }
}

type LazyEngine = ReturnType<typeof createLazyEngine>

/** Creates an engine that opens on the first call, and again after it fails to open or is lost. */
function createLazyEngine(directory: string | null) {
  let opening: Promise<PgliteEngine> | null = null
  async function start(): Promise<PgliteEngine> {
    try {
      const engine = await openLocked(directory)
      const own = opening
      engine.lost.addEventListener('abort', () => {
        if (opening === own) opening = null
      })
      const terminate = (): Promise<void> => {
        const ended = engine.terminate()
        // The next engine opens when this one has ended, since two engines in one directory would lose rows.
        opening = ended.then(start)
        opening.catch(() => {}) // callers of `open` receive the error
        return ended
      }
      return { ...engine, terminate }
    } catch (error) {
      opening = null
      throw error
    }
  }
  return {
    open: () => (opening ??= start()),
    async close(): Promise<void> {
      // If the engine could not be opened, there is nothing to close, and its callers have received the error.
      const engine = await opening?.catch(() => null)
      await engine?.close()
    },
  }
}

async function openLocked(directory: string | null): Promise<PgliteEngine> {
  const unlock = directory === null ? () => {} : lockDirectory(directory)
  try {
    const engine = await startEngine(directory)
    engine.lost.addEventListener('abort', unlock)
    return {
      lost: engine.lost,
      exec: (messages) => engine.exec(messages),
      terminate: () => engine.terminate(),
      close: () => engine.close().finally(unlock),
    }
  } catch (error) {
    unlock()
    throw toOpenError(error, directory)
  }
}

/** Creates an error with a stack, since WebAssembly often throws values that are not errors. */
function toOpenError(cause: unknown, directory: string | null): Error {
  const why = cause instanceof Error ? cause.message : inspect(cause, { breakLength: Number.POSITIVE_INFINITY })
  return new Error(`The embedded database ${describeLocation(directory)} cannot be opened: ${why}`, { cause })
}

function describeLocation(directory: string | null): string {
  return directory === null ? 'in memory' : `in ${directory}`
}

async function startEngine(directory: string | null): Promise<PgliteEngine> {
  const name = `embedded database ${describeLocation(directory)}`
  const started = performance.now()
  reportProgress(
    'opening',
    isNewDatabase(directory) ? `creating an ${name}, which takes a few seconds` : `opening the ${name}`,
  )
  if (!hasWorkerFile())
    reportProgress('inline', 'pglite-worker.js from @sdk/database is missing, so queries block the server')
  const engine = await startFromTemplate(hasWorkerFile() ? startThreadEngine : startInlineEngine, directory)
  engine.lost.addEventListener('abort', () =>
    reportProgress('lost', `the ${name} stopped unexpectedly; it will be reopened when needed`),
  )
  reportProgress('open', `opened the ${name} in ${Math.round(performance.now() - started)} ms`)
  return engine
}

class PglitePool extends pg.Pool {
  readonly #engine: LazyEngine

  constructor(engine: LazyEngine, listeners: ReadonlySet<ChangeListener>) {
    super({
      max: 1,
      idleTimeoutMillis: 0,
      // A query that waits this long for the only connection is probably deadlocked: code inside a transaction queried
      // the database instead of the transaction.
      connectionTimeoutMillis: 30_000,
      Client: class extends pg.Client {
        constructor() {
          const stream = (): PgliteSocket => new PgliteSocket(engine.open, STATEMENT_TIMEOUT_MS)
          super({ user: 'postgres', database: 'postgres', ssl: false, stream })
        }
      },
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits the promise, contrary to its types
      onConnect: (client) => openSession(client, listeners),
    })
    this.#engine = engine
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    // The engine is opened before the pool waits for a connection, since opening it may take longer than the pool's
    // timeout.
    const opened = this.ending ? Promise.resolve() : this.#engine.open()
    if (!callback) return opened.then(() => super.connect())
    const isAhead = isFirst()
    opened.then(
      () => (isAhead ? this.#connectFirst(callback) : super.connect(callback)),
      (error: Error) => callback(error, undefined, () => {}),
    )
  }

  /** Requests the connection before all callers that wait for it: many lists wait for one live read. */
  #connectFirst(callback: ConnectCallback): void {
    const { _pendingQueue: queue = [] } = this as unknown as { _pendingQueue?: unknown[] }
    const { length } = queue
    super.connect(callback)
    if (queue.length > length) queue.unshift(queue.pop())
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void

/**
 * Resets the session. Unlike connections to a server, all connections to PGlite share one session, which is still in
 * the state in which the last connection left it.
 */
async function openSession(client: pg.ClientBase, listeners: ReadonlySet<ChangeListener>): Promise<void> {
  await client.query('rollback')
  await client.query('discard all')
  client.on('notification', ({ channel, payload = '' }) => {
    if (channel === LIVE_CHANNEL) for (const { onNotification } of listeners) onNotification(payload)
  })
  if (listeners.size === 0) return
  await client.query(`listen ${LIVE_CHANNEL}`)
  for (const { connected } of listeners) connected()
}

/** Listens on the pool's only connection. Each later connection also listens. */
function listenOnPool(pool: pg.Pool, listeners: Set<ChangeListener>): ListenForChanges {
  return (listener) => {
    const listen = (): void => {
      if (!listeners.has(listener)) return
      pool.query(`listen ${LIVE_CHANNEL}`).then(listener.connected, () => setTimeout(listen, LISTEN_RETRY_MS).unref())
    }
    listeners.add(listener)
    listen()
    return { close: () => listeners.delete(listener) }
  }
}

const LISTEN_RETRY_MS = 1_000
