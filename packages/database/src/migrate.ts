import type { Database, Transaction } from './database.ts'

/**
 * Changes the schema inside one transaction, one process at a time: everyone who calls it with the
 * same name waits for the others, so a whole fleet may start at once.
 */
export function migrate<T>(
  database: Database,
  name: string,
  change: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
    return change(transaction)
  })
}
