import pg from 'pg'
import type { DatabaseBackend } from './database.ts'
import { enforceStatementTimeout } from './statement-timeout.ts'

/** How long a statement may keep silent, in ms, unless the URL says so: about as long as anybody waits for an answer. */
const DEFAULT_TIMEOUT_MS = 30_000

/** A pool of connections to a PostgreSQL server. */
export function createPostgresBackend(url: string): DatabaseBackend {
  const { connectionString, timeout } = splitTimeout(url)
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000, // finds a server that went while it worked for us in about 20 s
  })
  enforceStatementTimeout(pool, timeout)
  return { kind: 'postgres', pool, close: () => pool.end() }
}

/** The driver has a `query_timeout` too, but goes on with a connection that did not answer. */
function splitTimeout(url: string): { connectionString: string; timeout: number } {
  const parsed = new URL(url)
  const value = parsed.searchParams.get('query_timeout')
  if (value === null) return { connectionString: url, timeout: DEFAULT_TIMEOUT_MS }
  if (!/^\d+$/.test(value)) throw new TypeError(`query_timeout of a database URL is a number of ms, got ${value}`)
  parsed.searchParams.delete('query_timeout')
  return { connectionString: parsed.href, timeout: Number(value) }
}
