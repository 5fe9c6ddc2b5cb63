import { ApiError } from '@sdk/protocol'
import type { ClientBase, Pool } from 'pg'
import { askClient, askPool } from './ask.ts'
import { isConnectionError } from './connection-error.ts'

/** A statement that each connection prepares once, under its name. */
export interface PreparedSql {
  readonly name: string
  readonly text: string
}

/** What can be asked, with or without a transaction around it. */
export interface Queryable {
  /** Runs one statement with `$1`, `$2` … and returns its rows. */
  query<T = Record<string, unknown>>(sql: string | PreparedSql, params?: readonly unknown[]): Promise<T[]>
}

/** The inside of a transaction. Ask it, not the database: the embedded one has a single connection. */
export interface Transaction extends Queryable {
  /** The connection that carries the transaction, for libraries that speak to the pg driver. */
  readonly client: ClientBase
}

/** A PostgreSQL database, embedded or served. */
export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres'
  /** The connections as a pool of the pg driver, for libraries that build on it. Close the database, not the pool. */
  readonly pool: Pool
  /** Runs all of `work` or nothing of it: a throw rolls back. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Opens if need be; rejects when the database cannot be used, and tries again when called again. */
  ready(): Promise<void>
  /** Lets go of every connection; the last one to close an embedded database also unlocks it. */
  close(): Promise<void>
}

/** The part in which the two kinds differ. */
export interface Backend {
  readonly kind: Database['kind']
  readonly pool: Pool
  close(): Promise<void>
}

/** A database over either backend. */
export function createDatabase(backend: Backend): Database {
  const { kind, pool } = backend
  keepAlive(pool)
  let closing: Promise<void> | null = null

  async function onClient<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch(unavailable)
    try {
      return await work({ client, query: (sql, params) => run(client, sql, params) })
    } finally {
      client.release()
    }
  }
  const query = <T>(sql: string | PreparedSql, params: readonly unknown[] = []): Promise<T[]> =>
    askPool(pool, { sql, values: params }).catch(unavailable) as Promise<T[]>

  return {
    kind,
    pool,
    query,
    transaction: (work) => onClient((transaction) => inTransaction(transaction, work)),
    async ready() {
      await query('select 1')
    },
    close() {
      closing ??= backend.close()
      return closing
    },
  }
}

async function inTransaction<T>(transaction: Transaction, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  await transaction.query('begin')
  try {
    const result = await work(transaction)
    await transaction.query('commit')
    return result
  } catch (error) {
    // A lost connection has already rolled back; what the caller needs is the first error.
    await transaction.query('rollback').catch(() => {})
    throw error
  }
}

function run<T>(client: ClientBase, sql: string | PreparedSql, params: readonly unknown[] = []): Promise<T[]> {
  return askClient(client, { sql, values: params }).catch(unavailable) as Promise<T[]>
}

function unavailable(error: unknown): never {
  if (!isConnectionError(error)) throw error
  throw new ApiError('SERVICE_UNAVAILABLE', 'The database cannot be reached', { cause: error, retryAfter: 1 })
}

/** A connection that breaks is dropped by the pool; without these listeners its `error` event would end the process. */
function keepAlive(pool: Pool): void {
  if (pool.listenerCount('error') > 0) return
  const ignore = (): void => {}
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
}
