import { ApiError } from '@sdk/protocol'
import type { ClientBase, Pool } from 'pg'
import { type PreparedSql, queryClient, queryPool } from './query.ts'
import { captureCaller } from './sql-error.ts'
import { throwUnavailable } from './connection-error.ts'

export type { PreparedSql } from './query.ts'

/** Runs statements, with or without a transaction around them. */
export interface Queryable {
  /** Runs one statement with `$1`, `$2` … and returns its rows; a `bigint`, such as an id, is a number if it is a safe integer. */
  query<T = Record<string, unknown>>(sql: string | PreparedSql, params?: readonly unknown[]): Promise<T[]>
}

/** A running transaction. Query it instead of the database: the embedded database has a single connection. */
export interface Transaction extends Queryable {
  /** The connection of the transaction, for libraries that use the pg driver. */
  readonly client: ClientBase
}

/** A PostgreSQL database, embedded or served. */
export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres'
  /** The connections as a pool of the pg driver, for libraries that build on it. Close the database, not the pool. */
  readonly pool: Pool
  /** Runs `work` in a transaction: an error rolls it back. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Opens the database if necessary; rejects if it cannot be used, and tries again on the next call. */
  ready(): Promise<void>
  /** Rejects new work, waits for running work, and closes every connection; the last user to close an embedded database also unlocks it. */
  close(): Promise<void>
}

/** The part in which embedded and served databases differ. */
export type DatabaseBackend = Pick<Database, 'kind' | 'pool' | 'close'>

/** Creates a database over either backend. */
export function createDatabase(backend: DatabaseBackend): Database {
  const { kind, pool } = backend
  ignoreConnectionErrors(pool)
  // A counter, because a list of promises would slow down every query.
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
      // Waits first: a pool that ends drops requests that are waiting for a connection.
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
  // Explicit: under another default isolation level of the database, statements could fail instead of waiting.
  await transaction.query('begin isolation level read committed')
  let result: T
  try {
    result = await work(transaction)
  } catch (error) {
    // A lost connection has already rolled back; the caller needs the first error.
    await transaction.query('rollback').catch(() => {})
    throw error
  }
  const { command } = await queryClient(transaction.client, { sql: 'commit', values: [] }).catch(throwUnavailable)
  // PostgreSQL rolls back a transaction in which a statement failed, without an error.
  if (command === 'COMMIT') return result
  throw new Error(
    'The transaction was rolled back because a statement failed. Do not catch that error inside the transaction',
  )
}

/**
 * Creates a transaction on a connection. It rejects late statements: the connection may already belong to another
 * caller, and they would run in that caller's transaction.
 */
function toTransaction(client: ClientBase, isOver: () => boolean): Transaction {
  return {
    client,
    async query<T>(sql: string | PreparedSql, values: readonly unknown[] = []) {
      if (isOver()) throw new Error('The transaction has ended: await every query inside its function')
      return queryClient(client, { sql, values, caller: captureCaller() }).then(
        ({ rows }) => rows as T[],
        throwUnavailable,
      )
    },
  }
}

/**
 * Ignores errors of connections: the pool removes broken connections, and without listeners their `error` events would
 * end the process.
 */
function ignoreConnectionErrors(pool: Pool): void {
  if (pool.listenerCount('error') > 0) return
  const ignore = (): void => {}
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
}
