import type { TransactionOptions } from '@sdk/server'
import type { LastQuery, Query } from './query.ts'

/** The isolation levels of PostgreSQL. */
export type Isolation = NonNullable<TransactionOptions['isolation']>

/** A connection with an open transaction. */
export interface TransactionConnection {
  send(query: Query): Promise<unknown[]>
  /** The statements that are sent together with the commit. */
  readonly last: LastQuery[]
  /** Cancels the running statement, if possible. */
  cancel(error: Error): void
}

/** A database that can begin transactions. */
export interface TransactionHost<Connection extends TransactionConnection = TransactionConnection> {
  /** The key that identifies the database: hosts with the same key share their transactions. */
  readonly key: unknown
  /** Begins a transaction. Commits it when `work` resolves, or rolls it back when `work` rejects. */
  begin<T>(isolation: Isolation, work: (connection: Connection) => Promise<T>): Promise<T>
}
