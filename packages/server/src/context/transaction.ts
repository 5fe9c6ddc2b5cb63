import type { ResourceRef, ResourceTypes, Rows } from './rows.ts'
import type { StartRun } from './start.ts'

/** Options for a transaction. */
export interface TransactionOptions {
  /** The isolation level. @default 'read committed' */
  isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** The maximum duration in ms, including retries, or 0 for no limit. @default 5000 */
  timeout?: number
}

/** Options for `ctx.transaction`. */
export interface ContextTransactionOptions extends TransactionOptions {
  /**
   * A resource in the database to use, if the app has several databases.
   * @default the first mounted resource whose store supports transactions
   */
  resource?: Pick<ResourceRef, 'kind' | 'name'>
}

/**
 * A function that runs one SQL statement with the parameters `$1`, `$2` … in a transaction, and returns the rows. Bind
 * values as parameters; never insert them into the text.
 */
export type TransactionQuery = <T = Record<string, unknown>>(sql: string, params?: readonly unknown[]) => Promise<T[]>

/** A transaction started by `ctx.transaction`. */
export interface ContextTransaction {
  /** Gives access to a resource's rows, as `ctx.rows` does. The resource must be in the transaction's database. */
  rows<Types extends ResourceTypes>(resource: ResourceRef<Types>): Rows<Types>
  /**
   * Runs one SQL statement. A transaction that fails because of a unique constraint rejects with `CONFLICT`, and one
   * that fails because of a foreign key rejects with `INVALID_REQUEST`. The error includes the constraint's name.
   */
  readonly query: TransactionQuery
  /**
   * Starts a run of a durable agent in the background, as `ctx.start` does, but as part of the transaction: the run
   * exists only if the transaction is committed, and starts after that. Runs must be stored in the same database.
   * @example await tx.start(report, { id: order.id })
   */
  readonly start: StartRun
}
