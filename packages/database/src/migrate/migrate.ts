import { ApiError } from '@sdk/protocol'
import type { ClientBase } from 'pg'
import { readTable, type CatalogTable } from './catalog.ts'
import { findSqlError } from '../sql-error.ts'
import type { Database, Transaction } from '../database.ts'
import { disableTimeout } from '../statement-timeout.ts'
import type { RunStatement } from '../table-layout.ts'
import { createStatementRunner, runTransaction } from '../statement-runner.ts'
import { runOutside, toRefusal } from '../joined-transaction.ts'
import { toMigrationError, type MigrationStep } from './migration-step.ts'

/**
 * Changes the schema in a transaction. Migrations with the same name run one after another, even in different
 * processes, so several processes can start concurrently. Use it for your own tables; tables created by `table`
 * and `createAuth` are migrated automatically.
 * @example await migrate(database, 'notes', (transaction) => transaction.query('create table if not exists notes (text text)'))
 */
export function migrate<T>(
  database: Database,
  name: string,
  change: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  // A rollback of the outer transaction would silently undo the change.
  const refusal = toRefusal('migrate')
  if (refusal !== null) return Promise.reject(refusal)
  return database['~transaction'](async (transaction) => {
    await transaction.query(TAKE_LOCK, [name])
    await transaction.query(SET_TIMEOUTS)
    disableTimeout(transaction.client)
    return change(transaction)
  }).catch(throwLockTimeout)
}

/** The statement that acquires a lock, which is released when the transaction ends. */
const TAKE_LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'

/**
 * The statement that sets the timeouts. A change waits only briefly for locks, because it blocks all later statements
 * on its table while it waits. Once it is running, it may take a long time.
 */
const SET_TIMEOUTS = `select set_config('lock_timeout', '5s', true), set_config('statement_timeout', '0', true)`

/** The target of migrations: a database or a running transaction. */
export interface MigrationTarget {
  readonly run: RunStatement
  /** Runs the statements that change single rows. @default run */
  readonly runWrite?: RunStatement
  /** Runs `work` in a transaction, under a lock that all processes share. */
  runExclusive<T>(work: (run: RunStatement) => Promise<T>): Promise<T>
}

function throwLockTimeout(error: unknown): never {
  if (findSqlError(error)?.code !== '55P03') throw error
  const message = 'A table was not changed: a long-running transaction holds a lock on it. The change will be retried'
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 1 })
}

/** The name of the lock for all tables. One lock is enough, since a program has few tables and they rarely change. */
const TABLES_LOCK = 'sdk tables'

/** Creates a target that runs each migration in its own transaction. */
export function toMigrationTarget(database: Database): MigrationTarget {
  return {
    run: createStatementRunner(database),
    // A rollback of a request's transaction must not remove a table or column that this process expects to exist.
    runExclusive: (work) =>
      runOutside(() =>
        runTransaction(database, (run, client) => toTransactionTarget(run, client).runExclusive(work)).catch(
          throwLockTimeout,
        ),
      ),
  }
}

/** Creates a target that uses a running transaction, since the embedded database has no second connection. */
export function toTransactionTarget(run: RunStatement, client: ClientBase): MigrationTarget {
  return {
    run,
    async runExclusive(work) {
      await run({ text: TAKE_LOCK, values: [TABLES_LOCK] })
      await run({ text: SET_TIMEOUTS, values: [] })
      disableTimeout(client)
      return work(run)
    },
  }
}

/** A function that plans the steps for a table. `found` is null if the table does not exist. */
export type TablePlan = (found: CatalogTable | null) => readonly MigrationStep[]

/** Applies all steps of a plan, or throws an error if any step is refused. Returns the table as it was before. */
export async function applyPlan(
  { run, runExclusive: alone }: MigrationTarget,
  table: string,
  plan: TablePlan,
): Promise<CatalogTable | null> {
  // The steps are checked without the lock first, so that restarting processes do not queue for it.
  const seen = await decideSteps(run, table, plan)
  if (seen.steps.every(({ sql, isRefused }) => !isRefused && sql.length === 0)) return seen.found
  return alone(async (inner) => {
    const { found, steps } = await decideSteps(inner, table, plan)
    const refusals = steps.flatMap(({ isRefused, refusal }) => (isRefused && refusal !== undefined ? [refusal] : []))
    if (refusals.length > 0) throw toMigrationError(table, refusals)
    for (const { sql, isOptional = false } of steps)
      for (const text of sql) await (isOptional ? runIfPossible(inner, text) : inner({ text, values: [] }))
    return found
  })
}

/** Runs a statement in a savepoint, so that its failure leaves the transaction intact. */
async function runIfPossible(run: RunStatement, text: string): Promise<void> {
  await run({ text: 'savepoint sdk_step', values: [] })
  try {
    await run({ text, values: [] })
  } catch (error) {
    if (findSqlError(error) === null) throw error
    await run({ text: 'rollback to savepoint sdk_step', values: [] })
  }
}

/** A step that will be applied or refused. */
export type DecidedStep = MigrationStep & { readonly isRefused: boolean }

/** Determines which steps of a plan can be applied, without applying them. Omits skipped steps. */
export async function decideSteps(
  run: RunStatement,
  table: string,
  plan: TablePlan,
): Promise<{ found: CatalogTable | null; steps: DecidedStep[] }> {
  const found = await readTable(run, table)
  const steps: DecidedStep[] = []
  // The same rows may prevent the creation of several indexes, so each query runs only once.
  const answers = new Map<string, boolean>()
  for (const step of plan(found)) {
    const { unless, refusal, isForeignKey = false } = step
    if (unless !== undefined && !answers.has(unless)) {
      const rows = await run({ text: unless, values: [] }).catch((error: unknown) => {
        // The table that a foreign key refers to may not exist yet, or its id may have another type.
        if (isForeignKey && findSqlError(error) !== null) return []
        throw error
      })
      answers.set(unless, rows.length > 0)
    }
    const isBlocked = unless !== undefined && answers.get(unless) === true
    if (!isBlocked || refusal !== undefined) steps.push({ ...step, isRefused: isBlocked })
  }
  return { found, steps }
}
