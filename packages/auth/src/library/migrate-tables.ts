import { type Database, migrate, type Transaction } from '@sdk/database'
import type { BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'

/** Creates and extends the library's tables: all or nothing, one process at a time. */
export async function migrateTables(database: Database, config: BetterAuthOptions): Promise<void> {
  await migrate(database, 'sdk auth', async (transaction) => {
    const plan = await getMigrations({ ...config, database: onlyConnection(transaction) as never })
    await plan.runMigrations()
  })
}

/** A pool whose every connection is the transaction's, so that the planner sees and changes one schema under one lock. */
function onlyConnection({ client }: Transaction): object {
  const connection = {
    query: (sql: string, values: unknown[]) => client.query(sql, values),
    release: () => {},
  }
  return { connect: async () => connection, end: async () => {} }
}
