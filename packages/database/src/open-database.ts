import pg from 'pg'
import { createDatabase, type Database, type DatabaseBackend } from './database.ts'
import { defaultDatabaseUrl, parseDatabaseUrl } from './database-url.ts'
import { createChangeFeed } from './live/change-feed.ts'
import { listenOnServer } from './live/listen-on-server.ts'
import { createPgliteBackend } from './pglite/pglite-backend.ts'
import { closeReadOnlyConnections } from './read-only-connections.ts'
import { enforceStatementTimeout, STATEMENT_TIMEOUT_MS } from './statement-timeout.ts'

/**
 * Opens `postgres://…`, `pglite://dir` or `pglite://memory`. Returns immediately and connects on first use; `ready()`
 * waits for the connection. Within a process, the same `pglite://dir` always refers to the same database, while every
 * call with `pglite://memory` creates a new database.
 * @default `DATABASE_URL`, or `pglite://.sdk/data`
 * @example const notes = await openDatabase().query('select text from notes where id = $1', [7])
 */
export function openDatabase(url: string = defaultDatabaseUrl()): Database {
  const target = parseDatabaseUrl(url)
  return createDatabase(
    target.kind === 'postgres' ? createPostgresBackend(target.connectionString) : createPgliteBackend(target.directory),
  )
}

function createPostgresBackend(url: string): DatabaseBackend {
  const { connectionString, timeout } = splitTimeout(url)
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000, // detects a lost server within about 20 s
  })
  enforceStatementTimeout(pool, timeout)
  closeReadOnlyConnections(pool)
  const changes = createChangeFeed(pool, listenOnServer({ connectionString }))
  return { kind: 'postgres', pool, key: url, close: () => changes.close().then(() => pool.end()) }
}

/**
 * Extracts `query_timeout` from the URL. The driver also supports this parameter, but would keep using a connection
 * that did not reply.
 */
function splitTimeout(url: string): { connectionString: string; timeout: number } {
  const parsed = new URL(url)
  const value = parsed.searchParams.get('query_timeout')
  if (value === null) return { connectionString: url, timeout: STATEMENT_TIMEOUT_MS }
  if (!/^\d+$/.test(value)) throw new TypeError(`query_timeout in a database URL must be in milliseconds, got ${value}`)
  parsed.searchParams.delete('query_timeout')
  return { connectionString: parsed.href, timeout: Number(value) }
}
