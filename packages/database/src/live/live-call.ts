import { AsyncLocalStorage } from 'node:async_hooks'
import { currentTransaction, leaveTransaction } from '../joined-transaction.ts'
import { findSqlError } from '../sql-error.ts'

/** A function that runs one statement in a database. */
type RunQuery = (sql: string) => Promise<unknown[]>

interface LiveCall {
  /** Whether the call's statements are sent before those that wait for a connection. */
  readonly isFirst?: boolean
  /** The texts of the call's statements, with the databases in which they run. */
  readonly recorded?: Map<string, RunQuery>
}

/** The current call. Only apps with live resources use it, since each `await` costs more after the first use. */
const storage = new AsyncLocalStorage<LiveCall>()

/** Runs `work`, whose statements are sent before those of other callers that wait for an embedded database. */
export function runFirst<T>(work: () => Promise<T>): Promise<T> {
  return storage.run({ ...storage.getStore(), isFirst: true }, work)
}

/** Returns whether the statements of the current call are sent first. */
export function isFirst(): boolean {
  return storage.getStore()?.isFirst === true
}

/** The maximum number of statements that are recorded, and of statements whose tables are kept per database. */
const MAX_STATEMENTS = 1_000

/** Runs `work`, and returns its result with the names of the tables that its statements read. */
export async function recordTables<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly tables: readonly string[] }> {
  const recorded = new Map<string, RunQuery>()
  const value = await storage.run({ ...storage.getStore(), recorded }, work)
  // Statements wait for a second connection outside of the transaction, which an embedded database does not have.
  if (currentTransaction() !== null) return { value, tables: [] }
  const tables = await Promise.all(Array.from(recorded, ([text, run]) => tablesOf(run, text)))
  return { value, tables: [...new Set(tables.flat())] }
}

/** Records a statement, if the current call records its tables. */
export function recordStatement(run: RunQuery, text: string): void {
  const recorded = storage.getStore()?.recorded
  if (recorded !== undefined && recorded.size < MAX_STATEMENTS) recorded.set(text, run)
}

/** The tables of statements, by database and text. */
const known = new WeakMap<RunQuery, Map<string, Promise<readonly string[]>>>()

function tablesOf(run: RunQuery, text: string): Promise<readonly string[]> {
  const cache = known.get(run) ?? new Map<string, Promise<readonly string[]>>()
  known.set(run, cache)
  if (cache.size >= MAX_STATEMENTS) cache.clear()
  const tables = cache.get(text) ?? explain(run, text).catch((error: unknown) => forget(error, cache, text))
  cache.set(text, tables)
  return tables
}

/** Returns no tables for a statement that cannot be explained. After a lost connection, it is explained again. */
function forget(error: unknown, cache: Map<string, unknown>, text: string): readonly string[] {
  if (findSqlError(error) === null) cache.delete(text)
  return []
}

/** Returns the tables in the plan of a statement. The plan does not show tables that functions read. */
async function explain(run: RunQuery, text: string): Promise<readonly string[]> {
  if (/;\s*\S/.test(text)) return [] // only the first of several statements would be explained; the others would run
  const rows = await leaveTransaction(() => storage.exit(() => run(`explain (generic_plan, format json) ${text}`)))
  return Array.from(JSON.stringify(rows).matchAll(/"Relation Name":("(?:[^"\\]|\\.)*")/g), ([, name = '""']) =>
    String(JSON.parse(name)),
  )
}
