import { ApiError } from '@sdk/protocol'
import type { ClientBase, Pool } from 'pg'
import { type PreparedSql, queryClient, queryPool } from './query.ts'
import { captureCaller } from './sql-error.ts'
import { throwUnavailable } from './connection-error.ts'

export type { PreparedSql } from './query.ts'

/** A database or a transaction, which can run statements. */
export interface Queryable {
  /**
   * Runs one statement with the parameters `$1`, `$2` … and returns its rows. A `bigint`, such as an id, is returned as
   * a number if it is a safe integer.
   */
  query<T = Record<string, unknown>>(sql: string | PreparedSql, params?: readonly unknown[]): Promise<T[]>
}

/**
 * A running transaction. Inside it, do not query the database directly: the embedded database has a single connection.
 */
export interface Transaction extends Queryable {
  /** The transaction's connection, for libraries that use the pg driver. */
  readonly client: ClientBase
}

/** A PostgreSQL database, either embedded or on a server. */
export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres'
  /** The connection pool, for libraries that use the pg driver. Close the database instead of the pool. */
  readonly pool: Pool
  /** Runs `work` in a transaction, which is rolled back if `work` throws an error. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Opens the database if necessary. Rejects if the database cannot be used; the next call tries again. */
  ready(): Promise<void>
  /**
   * Rejects new statements, waits for running ones, and closes every connection. When the last user of an embedded
   * database closes it, the database is also unlocked.
   */
  close(): Promise<void>
}

/** The part of a database that depends on whether it is embedded or on a server. */
export type DatabaseBackend = Pick<Database, 'kind' | 'pool' | 'close'>

/** Creates a database on top of a backend. */
export function createDatabase(backend: DatabaseBackend): Database {
  const { kind, pool } = backend
  ignoreConnectionErrors(pool)
  // Counts pending work, because keeping a list of promises would slow down every query.
  let pending = 0
  let onIdle = (): void => {}
  let closing: Promise<void> | null = null
  const end = (): void => {
    pending -= 1
    if (pending === 0) onIdle()
  }

  async function withClient<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    if (closing !== null) throw closedError()
    pending += 1
    try {
      const client = await pool.connect().catch(throwUnavailable)
      let isOver = false
      return await work(toTransaction(client, () => isOver)).finally(() => {
        isOver = true
        client.release()
      })
    } finally {
      end()
    }
  }
  const succeed = (rows: unknown[]): unknown[] => {
    end()
    return rows
  }
  const fail = (error: unknown): never => {
    end()
    return throwUnavailable(error)
  }
  const query = <T>(sql: string | PreparedSql, params: readonly unknown[] = []): Promise<T[]> => {
    if (closing !== null) return Promise.reject(closedError())
    pending += 1
    return queryPool(pool, { sql, values: params, caller: captureCaller() }).then(succeed, fail) as Promise<T[]>
  }

  return {
    kind,
    pool,
    query,
    transaction: (inside) => withClient((transaction) => runInTransaction(transaction, inside)),
    async ready() {
      await query('select 1')
    },
    close() {
      // Waits first, since ending a pool drops requests that are still waiting for a connection.
      closing ??= new Promise<void>((resolve) => {
        onIdle = resolve
        if (pending === 0) resolve()
      }).then(() => backend.close())
      return closing
    },
  }
}

function closedError(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The database is closed', { retryAfter: 1 })
}

async function runInTransaction<T>(
  transaction: Transaction,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  // The isolation level is explicit: with another default level, statements could fail instead of waiting.
  await transaction.query('begin isolation level read committed')
  let result: T
  try {
    result = await work(transaction)
  } catch (error) {
    // If the connection was lost, the server rolls back. The caller needs the first error.
    await transaction.query('rollback').catch(() => {})
    throw error
  }
  const { command } = await queryClient(transaction.client, { sql: 'commit', values: [] }).catch(throwUnavailable)
  // If a statement has failed, PostgreSQL responds to the commit with a rollback instead of an error.
  if (command === 'COMMIT') return result
  throw new Error(
    'The transaction was rolled back because a statement failed. Do not catch that error inside the transaction',
  )
}

/**
 * Creates a transaction on a connection. Statements that are sent after the transaction has ended are rejected: the
 * connection may already be in use by another caller, in whose transaction they would run.
 */
function toTransaction(client: ClientBase, isOver: () => boolean): Transaction {
  return {
    client,
    async query<T>(sql: string | PreparedSql, values: readonly unknown[] = []) {
      if (isOver()) throw new Error('The transaction has ended: await every query inside the transaction callback')
      return queryClient(client, { sql, values, caller: captureCaller() }).then(
        ({ rows }) => rows as T[],
        throwUnavailable,
      )
    },
  }
}

/**
 * Ignores connection errors: the pool removes broken connections, and without listeners, their `error` events would end
 * the process.
 */
function ignoreConnectionErrors(pool: Pool): void {
  if (pool.listenerCount('error') > 0) return
  const ignore = (): void => {}
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
}
