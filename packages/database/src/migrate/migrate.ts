import { ApiError } from '@sdk/protocol'
import type { ClientBase } from 'pg'
import { readTable, type FoundTable } from './catalog.ts'
import { findSqlError } from '../table/store-error.ts'
import type { Database, Transaction } from '../database.ts'
import { waitFor } from '../statement-timeout.ts'
import type { Run } from '../table-layout.ts'
import { runForLong, runTransaction } from '../statement-runner.ts'
import { toRefusalError, type Refusal, type Step } from './migration-step.ts'

/**
 * Changes the schema inside one transaction, one process at a time: everyone who calls it with the
 * same name waits for the others, so a whole fleet may start at once. For tables of your own: those of `table` and
 * `createAuth` change by themselves.
 * @example await migrate(database, 'notes', (transaction) => transaction.query('create table if not exists notes (text text)'))
 */
export function migrate<T>(
  database: Database,
  name: string,
  change: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database
    .transaction(async (transaction) => {
      await transaction.query(TAKE_LOCK, [name])
      await transaction.query(BE_QUICK)
      waitFor(transaction.client)
      return change(transaction)
    })
    .catch(heldUp)
}

/** Given back when the transaction ends. */
const TAKE_LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'

/**
 * Who waits for a table that a long transaction holds, such as a backup, keeps out all who come after: better to try again
 * later. What has begun may take long.
 */
const BE_QUICK = `select set_config('lock_timeout', '5s', true), set_config('statement_timeout', '0', true)`

/** Where tables are asked and changed: a database, or a transaction that is under way. */
export interface Site {
  readonly run: Run
  /** Does work that no other process does at the same time: all of it or nothing. */
  alone<T>(work: (run: Run) => Promise<T>): Promise<T>
}

/** Who comes next may find it free. */
function heldUp(error: unknown): never {
  if (findSqlError(error)?.code !== '55P03') throw error
  const message = 'A table could not be changed, because a long transaction holds it; it will be tried again'
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 1 })
}

/** One for all tables: those of a program are few, and change seldom. */
const LOCK = 'sdk tables'

/** Changes tables in transactions of their own. */
export function toSite(database: Database): Site {
  return {
    run: runForLong(database),
    alone: (work) => runTransaction(database, (run, client) => toInnerSite(run, client).alone(work)).catch(heldUp),
  }
}

/** Changes tables within a transaction: the embedded database has no connection for another. */
export function toInnerSite(run: Run, client: ClientBase): Site {
  return {
    run,
    async alone(work) {
      await run({ text: TAKE_LOCK, values: [LOCK] })
      await run({ text: BE_QUICK, values: [] })
      waitFor(client)
      return work(run)
    },
  }
}

/** Makes a table fit: takes the steps that a plan for it has, or refuses them all. Gives what the plan was made for. */
export async function applyPlan(
  { run, alone }: Site,
  table: string,
  plan: (found: FoundTable | null) => readonly Step[],
): Promise<FoundTable | null> {
  // Looked at first: a fleet that restarts does not queue for the lock.
  const seen = await decide(run, table, plan)
  if (seen.statements.length === 0 && seen.refusals.length === 0) return seen.found
  return alone(async (inner) => {
    const { found, statements, refusals } = await decide(inner, table, plan)
    if (refusals.length > 0) throw toRefusalError(table, refusals)
    for (const { text, isOptional } of statements)
      await (isOptional ? runIfPossible(inner, text) : inner({ text, values: [] }))
    return found
  })
}

/** What fails leaves the rest of the transaction as it is. */
async function runIfPossible(run: Run, text: string): Promise<void> {
  await run({ text: 'savepoint sdk_step', values: [] })
  try {
    await run({ text, values: [] })
  } catch (error) {
    if (findSqlError(error) === null) throw error
    await run({ text: 'rollback to savepoint sdk_step', values: [] })
  }
}

interface Decision {
  readonly found: FoundTable | null
  readonly statements: readonly { readonly text: string; readonly isOptional: boolean }[]
  readonly refusals: readonly Refusal[]
}

async function decide(run: Run, table: string, plan: (found: FoundTable | null) => readonly Step[]): Promise<Decision> {
  const found = await readTable(run, table)
  const statements: { text: string; isOptional: boolean }[] = []
  const refusals: Refusal[] = []
  // Several indexes may be barred by the same rows, which are looked for once.
  const answers = new Map<string, boolean>()
  for (const { sql, unless, refusal, isOptional = false } of plan(found)) {
    if (unless !== undefined && !answers.has(unless))
      answers.set(unless, (await run({ text: unless, values: [] })).length > 0)
    if (unless === undefined || answers.get(unless) === false)
      statements.push(...sql.map((text) => ({ text, isOptional })))
    else if (refusal !== undefined) refusals.push(refusal)
  }
  return { found, statements, refusals }
}
