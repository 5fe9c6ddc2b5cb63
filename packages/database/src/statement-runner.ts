import type { ClientBase } from 'pg'
import { findSqlError, isSerializationFailure, toSerializationError } from './sql-error.ts'
import type { Database, PreparedSql } from './database.ts'
import type { RunStatement } from './table-layout.ts'

/** The current names of the prepared statements of a database. */
interface Preparation {
  /** The number of failures of prepared statements: after each one, all get new names. */
  round: number
  /** The number of times they were missing, or already existed, because of another client. */
  losses: number
}

/** A pooler that gives each transaction another connection loses prepared statements all the time. */
const MAX_LOSSES = 3

/** By database, since all its tables share connections. */
const preparations = new WeakMap<Database, Preparation>()

function preparationOf(database: Database): Preparation {
  const preparation = preparations.get(database) ?? { round: 0, losses: 0 }
  preparations.set(database, preparation)
  return preparation
}

/**
 * Creates a function that runs statements as tables do: prepared if they have a name, and retried once after a transient
 * failure without effect, such as prepared statements that a pooler lost.
 * @example const [row] = await createStatementRunner(database)({ name: 'one_note', text: 'select 1', values: [] })
 */
export function createStatementRunner(database: Database): RunStatement {
  const preparation = preparationOf(database)
  return async ({ text, values, name }) => {
    const { round } = preparation
    try {
      return await database.query(toPreparedSql(text, name, preparation), values)
    } catch (error) {
      if (!isTransient(error)) throw error
      renewNames(preparation, round, error)
      return database.query(text, values)
    }
  }
}

/** Runs a transaction, and retries it once after a transient failure. */
export async function runTransaction<T>(
  database: Database,
  work: (run: RunStatement, client: ClientBase) => Promise<T>,
): Promise<T> {
  const preparation = preparationOf(database)
  const { round } = preparation
  // Recorded here, since the work may catch it and throw another error.
  let transient: unknown
  const note = (error: unknown): never => {
    if (isTransient(error)) transient ??= error
    throw error
  }
  const attempt = (names: Preparation | null): Promise<T> =>
    database.transaction((transaction) => {
      const run: RunStatement = ({ text, values, name }) =>
        transaction.query(toPreparedSql(text, name, names), values).catch(note)
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

function toPreparedSql(text: string, name: string | undefined, names: Preparation | null): string | PreparedSql {
  if (name === undefined || names === null || names.losses >= MAX_LOSSES) return text
  return { text, name: names.round === 0 ? name : `${name}_${names.round}` }
}

/** Gives prepared statements new names. If several fail concurrently, only the first one does. */
function renewNames(preparation: Preparation, round: number, error: unknown): void {
  if (isSerializationFailure(error) || preparation.round > round) return
  preparation.round = round + 1
  if (isPreparationLost(error)) preparation.losses += 1
}

function isTransient(error: unknown): boolean {
  return isStalePlan(error) || isPreparationLost(error) || isSerializationFailure(error)
}

/** Returns whether a prepared statement is outdated because another process widened the type of a column. */
function isStalePlan(error: unknown): boolean {
  const found = findSqlError(error)
  return found?.code === '0A000' && Reflect.get(found, 'routine') === 'RevalidateCachedQuery'
}

/**
 * Returns whether the connection was replaced: a prepared statement is missing, or another client prepared one with the
 * same name.
 */
function isPreparationLost(error: unknown): boolean {
  const code = findSqlError(error)?.code
  return code === '26000' || code === '42P05'
}
