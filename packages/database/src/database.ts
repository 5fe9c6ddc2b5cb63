import { ApiError } from '@sdk/protocol'
import type { TransactionOptions } from '@sdk/server'
import type { ClientBase, Pool } from 'pg'
import {
  commitClient,
  type LastQuery,
  type PreparedSql,
  type Query,
  queryClient,
  queryPool,
  textOfSql,
} from './query.ts'
import { currentTransaction, endedError, findRefusal, runJoined, toRefusal } from './joined-transaction.ts'
import type { Isolation, TransactionConnection, TransactionHost } from './transaction-host.ts'
import { captureCaller, rolledBackError, throwRolledBack } from './sql-error.ts'
import { throwUnavailable } from './connection-error.ts'
import { abortStatement } from './statement-timeout.ts'
import { recordStatement } from './live/live-call.ts'

export type { PreparedSql } from './query.ts'

/** An object that can run statements: a database or a transaction. */
export interface Queryable {
  /**
   * Runs one statement with the parameters `$1`, `$2` … and returns its rows. A `bigint`, such as an id, is returned as
   * a number if it is a safe integer.
   */
  query<T = Record<string, unknown>>(sql: string | PreparedSql, params?: readonly unknown[]): Promise<T[]>
}

/** A running transaction. Its statements run one at a time, even if they are not awaited. */
export interface Transaction extends Queryable {
  /** The transaction's connection, for libraries that use the pg driver. */
  readonly client: ClientBase
}

/** A PostgreSQL database, either embedded or on a server. */
export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres'
  /**
   * The connection pool, for libraries that use the pg driver. It cannot be used inside a transaction. Close the
   * database instead of the pool.
   */
  readonly pool: Pool
  /**
   * Runs `work` in a transaction, which is rolled back if `work` throws an error. Inside `work`, `database.query` is
   * part of the transaction, and a nested `database.transaction` creates a savepoint. After a deadlock, `work` runs
   * again, up to 5 times. After `timeout` (5 s by default), the transaction is rolled back and rejects with
   * `SERVICE_UNAVAILABLE`.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Runs `work` in a transaction that `query` does not join, without a timeout or retries. Used by migrations and
   * tables to avoid the cost of `AsyncLocalStorage`.
   */
  '~transaction'<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Opens the database if necessary. Rejects if the database cannot be used; the next call tries again. */
  ready(): Promise<void>
  /**
   * Rejects new statements, waits for running ones, and closes every connection. When the last user of an embedded
   * database closes it, the database is also unlocked.
   */
  close(): Promise<void>
}

/** The part of a database that depends on whether it is embedded or on a server. */
export interface DatabaseBackend extends Pick<Database, 'kind' | 'pool' | 'close'> {
  /** The key that identifies the database: two databases with the same key share their transactions. */
  readonly key: unknown
}

interface ClientConnection extends TransactionConnection {
  readonly client: ClientBase
}

/** Transaction hosts, keyed by pool, for libraries that receive only the pool. */
export const hostsByPool: WeakMap<object, TransactionHost<ClientConnection>> = new WeakMap()

/** Returns the key that identifies a database. */
export function keyOf({ pool }: Database): unknown {
  return hostsByPool.get(pool)?.key
}

/** Creates a database on top of a backend. */
export function createDatabase(backend: DatabaseBackend): Database {
  const { kind, pool, key } = backend
  preparePool(pool)
  // Counts pending work, because keeping a list of promises would slow down every query.
  let pending = 0
  let onIdle = (): void => {}
  let closing: Promise<void> | null = null
  const end = (): void => {
    pending -= 1
    if (pending === 0) onIdle()
  }

  async function begin<T>(isolation: Isolation, work: (connection: ClientConnection) => Promise<T>): Promise<T> {
    if (closing !== null) throw closedError()
    pending += 1
    try {
      const client = await pool.connect().catch(throwUnavailable)
      return await runInTransaction(client, isolation, work).finally(() => client.release())
    } finally {
      end()
    }
  }
  const host = { key, begin }
  hostsByPool.set(pool, host)
  const transaction: Database['transaction'] = (work, options) =>
    runJoined(host, ({ connection, send }) => work(toTransaction(connection.client, recordSent(query, send))), options)
  const succeed = (rows: unknown[]): unknown[] => {
    end()
    return rows
  }
  const fail = (error: unknown): never => {
    end()
    return throwUnavailable(error)
  }
  const query = <T>(sql: string | PreparedSql, params: readonly unknown[] = []): Promise<T[]> => {
    recordStatement(query, textOfSql(sql))
    const statement = { sql, values: params, caller: captureCaller() }
    const joined = currentTransaction(key)
    if (joined !== null) return joined.send(statement) as Promise<T[]>
    const refusal = findRefusal(key) ?? (closing === null ? null : closedError())
    if (refusal !== null) return Promise.reject(refusal)
    pending += 1
    return queryPool(pool, statement).then(succeed, fail) as Promise<T[]>
  }

  return {
    kind,
    pool,
    query,
    transaction,
    '~transaction': (work) => (currentTransaction(key) !== null ? transaction(work) : runPlain(host, work)),
    ready: async () => void (await query('select 1')),
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

/** Records the statements of a transaction that are sent with its own `query`. */
function recordSent(query: Database['query'], send: TransactionConnection['send']): TransactionConnection['send'] {
  return (statement) => {
    recordStatement(query, textOfSql(statement.sql))
    return send(statement)
  }
}

function closedError(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The database is closed', { retryAfter: 1 })
}

async function runInTransaction<T>(
  client: ClientBase,
  isolation: Isolation,
  work: (connection: ClientConnection) => Promise<T>,
): Promise<T> {
  const run = (query: Query): ReturnType<typeof queryClient> => queryClient(client, query).catch(throwUnavailable)
  // The isolation level is explicit: with a different default, statements could fail instead of waiting.
  await run({ sql: `begin isolation level ${isolation}`, values: [] })
  const last: LastQuery[] = []
  let result: T
  let command: string
  try {
    const send = async (query: Query): Promise<unknown[]> => (await run(query)).rows
    result = await work({ client, send, cancel: (error) => abortStatement(client, error), last })
    command = await commitClient(client, last).catch(throwRolledBack).catch(throwUnavailable)
  } catch (error) {
    // A failed rollback is ignored: the caller needs the original error, and the server rolls back lost connections.
    await run({ sql: 'rollback', values: [] }).catch(() => {})
    throw error
  }
  // If a statement has failed, PostgreSQL responds to the commit with a rollback instead of an error.
  if (command === 'COMMIT') return result
  throw rolledBackError()
}

/** Runs `work` in a transaction that other statements do not join. */
function runPlain<T>(
  host: TransactionHost<ClientConnection>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return host.begin('read committed', ({ client, send }) => {
    let isOver = false
    // Another caller may already be using the connection, and a late statement would run in that caller's transaction.
    const sendInside: typeof send = (query) => (isOver ? Promise.reject(endedError()) : send(query))
    return work(toTransaction(client, sendInside)).finally(() => void (isOver = true))
  })
}

function toTransaction(client: ClientBase, send: (query: Query) => Promise<unknown[]>): Transaction {
  return {
    client,
    query: <T>(sql: string | PreparedSql, values: readonly unknown[] = []) =>
      send({ sql, values, caller: captureCaller() }) as Promise<T[]>,
  }
}

/**
 * Refuses connections inside transactions, and ignores connection errors: the pool removes broken connections, and
 * without listeners, their `error` events would end the process. Databases in the same directory share a pool.
 */
function preparePool(pool: Pool): void {
  if (pool.listenerCount('error') > 0) return
  const ignore = (): void => {}
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  const connect = pool.connect.bind(pool) as (callback?: ConnectCallback) => unknown
  const guarded = (callback?: ConnectCallback): unknown => {
    const error = toRefusal('database.pool')
    if (error === null) return connect(callback)
    return callback === undefined ? Promise.reject(error) : callback(error, undefined, ignore)
  }
  Object.assign(pool, { connect: guarded })
}

type ConnectCallback = (error: Error | undefined, client: undefined, release: () => void) => void
