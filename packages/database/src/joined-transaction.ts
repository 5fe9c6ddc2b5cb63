import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '@sdk/protocol'
import type { TransactionOptions } from '@sdk/server'
import type { LastQuery, Query } from './query.ts'
import type { Isolation, TransactionConnection, TransactionHost } from './transaction-host.ts'
import { isSerializationFailure, throwRolledBack, toSerializationError } from './sql-error.ts'

/** A transaction, or a savepoint in it. */
export interface JoinedTransaction<Connection extends TransactionConnection = TransactionConnection> {
  readonly connection: Connection
  send(query: Query): Promise<unknown[]>
  /** Sends a statement together with the commit, which saves a round trip. If it fails, the transaction fails. */
  sendWithCommit(query: LastQuery): void
  afterCommit(listener: () => void): void
}

const MAX_RETRIES = 5
const DEFAULT_TIMEOUT_MS = 5_000

/** The maximum number of statements that wait for earlier ones. */
const MAX_QUEUED = 10_000

/** The maximum number of times that a transaction is retried because a table or a column had to be created first. */
const MAX_PREPARATIONS = 100

/** The state that a transaction and its savepoints share. */
interface Root {
  readonly key: unknown
  readonly isolation: Isolation
  readonly connection: TransactionConnection
  /** Rejects when the transaction must end at once. */
  readonly aborted: Promise<never>
  abort(error: Error): void
  /** The reason why further statements are rejected. */
  failure: Error | null
  /** A serialization failure or deadlock, even if `work` caught it. */
  conflict: unknown
  /** Work that must be done before the transaction is retried. */
  preparation: (() => Promise<unknown>) | null
  savepoints: number
}

/** A transaction or a savepoint. Its statements and its savepoints run one at a time. */
interface Level extends JoinedTransaction {
  readonly root: Root
  readonly lastQueries: LastQuery[]
  readonly listeners: (() => void)[]
  isOver: boolean
  last: Promise<unknown>
  queued: number
}

/** The current level. On Node 20 and 22, each `await` costs more after the first transaction (decision 23). */
const storage = new AsyncLocalStorage<Level>()

/**
 * Returns the error for a statement in the database with this key, if the transaction has ended or is in a different
 * database. Otherwise, returns null.
 */
export function findRefusal(key: unknown): Error | null {
  const level = storage.getStore()
  if (level === undefined) return null
  if (level.isOver) return endedError()
  if (level.root.key === key) return null
  return new Error(
    'a transaction cannot use two databases: query the other one before or after the transaction, ' +
      "or pass the same database, as in table('tasks', { database })",
  )
}

/** Returns the running transaction, or null if there is none or it is not in the database with the given key. */
export function currentTransaction(key?: unknown): JoinedTransaction | null {
  const level = storage.getStore()
  if (level === undefined || level.isOver) return null
  return key === undefined || level.root.key === key ? level : null
}

/** Returns the error for using `subject` inside a transaction, or null outside a transaction. */
export function toRefusal(subject: 'database.pool' | 'migrate'): Error | null {
  const level = storage.getStore()
  if (level === undefined) return null
  if (level.isOver) return endedError()
  return new Error(
    `${subject} cannot be used inside a transaction, because its queries would not be part of it: ` +
      "use the transaction's query function, and call libraries such as Better Auth or Drizzle before or after it",
  )
}

/**
 * Runs `work`, such as a migration, which must not be part of a transaction. A surrounding transaction is rolled back,
 * and runs again after `work`.
 */
export async function runOutside<T>(work: () => Promise<T>): Promise<T> {
  const root = storage.getStore()?.root
  if (root === undefined) return work()
  root.preparation ??= work
  root.failure ??= new Error('The transaction will be rolled back and retried: do not catch this error')
  throw root.failure
}

/**
 * Runs `work` in a transaction. Statements on the same database join it. Inside another transaction, uses a savepoint.
 * A transaction is retried after a deadlock or a serialization failure.
 */
export async function runJoined<T, Connection extends TransactionConnection>(
  host: TransactionHost<Connection>,
  work: (transaction: JoinedTransaction<Connection>) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { isolation = 'read committed', timeout = DEFAULT_TIMEOUT_MS } = options
  assertOptions(isolation, timeout)
  // The cast is safe: transactions with the same key always have the same type of connection.
  const run = work as (transaction: JoinedTransaction) => Promise<T>
  const refusal = findRefusal(host.key)
  if (refusal !== null) throw refusal
  const outer = currentTransaction(host.key)
  if (outer !== null) return runSavepoint(outer as Level, run, options)
  let end = performance.now() + timeout
  for (let retries = 0, preparations = 0; ;) {
    const state: { root: Root | null } = { root: null }
    try {
      return await runAttempt(host, run, { isolation, timeout, end, state })
    } catch (error) {
      const { preparation = null, conflict } = state.root ?? {}
      const cause = conflict ?? error
      const isConflict = isSerializationFailure(cause)
      if (isConflict && (retries === MAX_RETRIES || (timeout > 0 && performance.now() > end)))
        throw toSerializationError(cause)
      if (isConflict) await delay(Math.random() * 10 * 2 ** ++retries)
      else if (preparation !== null && preparations++ < MAX_PREPARATIONS) {
        await preparation()
        end = performance.now() + timeout
      } else throw error
    }
  }
}

interface Attempt extends Required<TransactionOptions> {
  /** The time by which the transaction must end. */
  readonly end: number
  readonly state: { root: Root | null }
}

async function runAttempt<T>(
  host: TransactionHost,
  work: (transaction: JoinedTransaction) => Promise<T>,
  { isolation, timeout, end, state }: Attempt,
): Promise<T> {
  let listeners: readonly (() => void)[] = []
  const result = await host.begin(isolation, async (connection) => {
    const root = (state.root = createRoot({ key: host.key, isolation, connection }))
    const level = createLevel(root, connection.last)
    listeners = level.listeners
    const timer = timeout > 0 ? setTimeout(expire, Math.max(0, end - performance.now()), root, timeout) : undefined
    try {
      return await runLevel(level, work)
    } catch (error) {
      root.abort(error as Error) // ends savepoints that are still running
      throw error
    } finally {
      clearTimeout(timer)
      await level.last // the driver must not receive a second statement before the first has finished
    }
  })
  for (const listener of listeners) listener()
  return result
}

function expire(root: Root, timeout: number): void {
  const message = `The transaction did not finish within ${timeout} ms`
  const error = new ApiError('SERVICE_UNAVAILABLE', message, { retryAfter: 1 })
  root.abort(error)
  root.connection.cancel(error)
}

async function runSavepoint<T>(
  outer: Level,
  work: (transaction: JoinedTransaction) => Promise<T>,
  { isolation }: TransactionOptions,
): Promise<T> {
  const { root } = outer
  if (isolation !== undefined && isolation !== root.isolation)
    throw new TypeError(`isolation must be ${root.isolation}, as in the outer transaction, got ${isolation}`)
  return enqueue(outer, async () => {
    const inner = createLevel(root)
    const name = `sdk_${++root.savepoints}`
    const run = (sql: string): Promise<unknown> => root.connection.send({ sql, values: [] })
    await run(`savepoint ${name}`)
    try {
      const result = await runLevel(inner, work)
      await run(`release savepoint ${name}`).catch(throwRolledBack)
      outer.lastQueries.push(...inner.lastQueries)
      outer.listeners.push(...inner.listeners)
      return result
    } catch (error) {
      await inner.last
      // A failed rollback is ignored: the caller needs the original error, and the server rolls back lost connections.
      await run(`rollback to savepoint ${name}`).catch(() => {})
      throw error
    }
  })
}

/** Runs `work` in a level. Statements that `work` did not await are awaited, and later statements are rejected. */
async function runLevel<T>(level: Level, work: (transaction: JoinedTransaction) => Promise<T>): Promise<T> {
  const run = async (): Promise<T> => {
    const result = await storage.run(level, async () => work(level))
    level.isOver = true
    await level.last
    if (level.root.failure !== null) throw level.root.failure
    return result
  }
  return Promise.race([run(), level.root.aborted]).finally(() => void (level.isOver = true))
}

function createRoot({ key, isolation, connection }: Pick<Root, 'key' | 'isolation' | 'connection'>): Root {
  let reject: (error: Error) => void = () => {}
  const aborted = new Promise<never>((_resolve, fail) => (reject = fail))
  aborted.catch(() => {}) // prevents an unhandled rejection if nothing is waiting for the promise
  return {
    key,
    isolation,
    connection,
    aborted,
    abort(error) {
      this.failure ??= error
      reject(error)
    },
    failure: null,
    conflict: undefined,
    preparation: null,
    savepoints: 0,
  }
}

function createLevel(root: Root, lastQueries: LastQuery[] = []): Level {
  const level: Level = {
    root,
    connection: root.connection,
    lastQueries,
    listeners: [],
    isOver: false,
    last: Promise.resolve(),
    queued: 0,
    sendWithCommit: (query) => void lastQueries.push(query),
    afterCommit: (listener) => void level.listeners.push(listener),
    send(query) {
      // Inside a savepoint, statements of the outer transaction join the savepoint: they would otherwise wait for it.
      const current = storage.getStore()
      return enqueue(current?.root === root ? current : level, () =>
        root.connection.send(query).catch((error: unknown) => {
          if (isSerializationFailure(error)) root.conflict ??= error
          throw error
        }),
      )
    },
  }
  return level
}

/** Runs `work` after all earlier work at the same nesting level. */
async function enqueue<T>(level: Level, work: () => Promise<T>): Promise<T> {
  if (level.isOver) throw endedError()
  if (level.queued >= MAX_QUEUED)
    throw new Error(`a transaction can have at most ${MAX_QUEUED} queued statements: await or combine them`)
  level.queued += 1
  const result = level.last.then(() => {
    level.queued -= 1
    if (level.root.failure !== null) throw level.root.failure
    return work()
  })
  level.last = result.catch(() => {})
  return result
}

/** Creates the error for a statement in a transaction that has ended. */
export function endedError(): Error {
  return new Error(
    'The transaction has ended: await every query inside its function, and start longer work after the transaction',
  )
}

const ISOLATIONS: readonly string[] = ['read committed', 'repeatable read', 'serializable']

function assertOptions(isolation: string, timeout: number): void {
  if (!ISOLATIONS.includes(isolation))
    throw new TypeError(`isolation must be one of ${ISOLATIONS.join(', ')}, got ${isolation}`)
  if (!Number.isInteger(timeout) || timeout < 0 || timeout > 2_147_483_647)
    throw new TypeError(`timeout must be a number of milliseconds, or 0 for no limit, got ${timeout}`)
}

/** Runs `work`, such as a statement shared by several callers, outside the current transaction. */
export function leaveTransaction<T>(work: () => T): T {
  return storage.exit(work)
}
