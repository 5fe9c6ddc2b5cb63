import type { ClientBase } from 'pg'
import { findSqlError, isSerializationFailure, toSerializationError } from './sql-error.ts'
import type { Database, PreparedSql } from './database.ts'
import { runOutside } from './joined-transaction.ts'
import type { RunStatement, Statement } from './table-layout.ts'

/** The state of a database's prepared statements. */
interface Preparation {
  /** The number of times that a prepared statement failed. After each failure, all statements get new names. */
  round: number
  /** The number of times that a prepared statement was missing, or that another client had already prepared it. */
  losses: number
}

/** The number of losses after which statements are no longer prepared: a transaction pooler loses them constantly. */
const MAX_LOSSES = 3

/** The state of prepared statements, by database: all tables in a database share its connections. */
const preparations = new WeakMap<Database, Preparation>()

function preparationOf(database: Database): Preparation {
  const preparation = preparations.get(database) ?? { round: 0, losses: 0 }
  preparations.set(database, preparation)
  return preparation
}

/**
 * Creates a function that runs statements in the same way as tables do. Named statements are prepared. A statement is
 * retried once after a transient failure that had no effect, such as a prepared statement that was lost by a pooler.
 * @example const [row] = await createStatementRunner(database)({ name: 'one_note', text: 'select 1', values: [] })
 */
export function createStatementRunner(database: Database): RunStatement {
  const preparation = preparationOf(database)
  return async (statement) => {
    const { text, values } = statement
    const { round } = preparation
    try {
      return await database.query(toPreparedSql(statement, preparation), values)
    } catch (error) {
      if (!isTransient(error)) throw error
      renewNames(preparation, round, error)
      // PostgreSQL has aborted the transaction, so all of it must run again.
      await runOutside(() => Promise.resolve())
      return database.query(text, values)
    }
  }
}

/** Returns a statement in the form in which a database currently prepares it. */
export function toPrepared(database: Database, statement: PreparedSql): string | PreparedSql {
  return toPreparedSql(statement, preparationOf(database))
}

/** Runs a transaction, and retries it once after a transient failure. */
export async function runTransaction<T>(
  database: Database,
  work: (run: RunStatement, client: ClientBase) => Promise<T>,
): Promise<T> {
  const preparation = preparationOf(database)
  const { round } = preparation
  // A transient error is recorded here, since `work` may catch it and throw a different error.
  let transient: unknown
  const note = (error: unknown): never => {
    if (isTransient(error)) transient ??= error
    throw error
  }
  const attempt = (names: Preparation | null): Promise<T> =>
    database['~transaction']((transaction) => {
      const run: RunStatement = (statement) =>
        transaction.query(toPreparedSql(statement, names), statement.values).catch(note)
      return work(run, transaction.client)
    })
  try {
    return await attempt(preparation)
  } catch (error) {
    if (transient === undefined) throw error
    renewNames(preparation, round, transient)
    transient = undefined
    return attempt(null).catch((again: unknown) => {
      throw isSerializationFailure(transient) ? toSerializationError(transient) : again
    })
  }
}

function toPreparedSql(
  { text, name, isText }: Pick<Statement, 'text' | 'name' | 'isText'>,
  names: Preparation | null,
): string | PreparedSql {
  if (name === undefined || names === null || names.losses >= MAX_LOSSES) return text
  return { text, name: names.round === 0 ? name : `${name}_${names.round}`, isText }
}

/** Gives prepared statements new names. If several statements fail concurrently, this is done only once. */
function renewNames(preparation: Preparation, round: number, error: unknown): void {
  if (isSerializationFailure(error) || preparation.round > round) return
  preparation.round = round + 1
  if (isPreparationLost(error)) preparation.losses += 1
}

function isTransient(error: unknown): boolean {
  return isStalePlan(error) || isPreparationLost(error) || isSerializationFailure(error)
}

/** Returns whether a prepared statement is outdated because another process has widened a column's type. */
function isStalePlan(error: unknown): boolean {
  const found = findSqlError(error)
  return found?.code === '0A000' && Reflect.get(found, 'routine') === 'RevalidateCachedQuery'
}

/**
 * Returns whether the connection was replaced: a prepared statement is missing, or another client has prepared one with
 * the same name.
 */
function isPreparationLost(error: unknown): boolean {
  const code = findSqlError(error)?.code
  return code === '26000' || code === '42P05'
}
