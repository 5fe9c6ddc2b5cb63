import pg from 'pg'
import type { Backend } from './database.ts'

/** A pool of connections to a PostgreSQL server. */
export function createPostgresBackend(connectionString: string): Backend {
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  return { kind: 'postgres', pool, close: () => pool.end() }
}
