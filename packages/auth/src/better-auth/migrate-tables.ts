import { type Database, isConnectionError, migrate, type Queryable, quoteIdent, type Transaction } from '@sdk/database'
import type { BetterAuthOptions } from 'better-auth'
import { getSchema } from 'better-auth/db'
import { getMigrations } from 'better-auth/db/migration'
import { type ExistingTable, readTables } from './existing-tables.ts'
import { planAuthIndexes } from './table-indexes.ts'
import { type NeededTable, type TableRefusal, findTableRefusals, toTablesError } from './table-refusals.ts'

/** Creates and extends the auth tables. Changes are additive and atomic, and only one process migrates at a time. */
export async function migrateTables(database: Database, config: BetterAuthOptions): Promise<void> {
  await migrate(database, 'sdk auth', async (transaction) => {
    const { refusals, run } = await planTables(transaction, config)
    if (refusals.length > 0) throw toTablesError(refusals)
    await run().catch(explain)
  })
}

/** Throws if the tables need to be migrated. Does not change them. */
export async function checkTables(database: Database, config: BetterAuthOptions): Promise<void> {
  const { refusals, missing } = await database['~transaction']((transaction) => planTables(transaction, config))
  if (refusals.length > 0) throw toTablesError(refusals)
  if (missing.length > 0)
    throw new Error(
      `The auth tables are incomplete: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. ` +
        'Run `await auth.migrate()` before the app starts, or enable autoMigrate',
    )
}

async function planTables(transaction: Transaction, config: BetterAuthOptions) {
  const needed = Object.entries(getSchema(config))
    .filter(([, { disableMigrations }]) => disableMigrations !== true)
    .map(([name, { fields }]) => ({ name, fields }))
  const names = needed.map(({ name }) => name)
  const found = await readTables(transaction, names)
  const indexes = planAuthIndexes(needed, found)
  const refusals = [...(await findRefusals(transaction, needed, found)), ...(await indexes.refusals(transaction))]
  // Better Auth's planner would fail on tables with these problems.
  if (refusals.length > 0) return { refusals, missing: [], run: () => Promise.resolve() }
  const plan = await getMigrations({ ...config, database: onlyConnection(transaction) as never })
  const missing = [
    ...plan.toBeCreated.map(({ table }) => table),
    ...plan.toBeAdded.flatMap(({ table, fields }) => Object.keys(fields).map((field) => `${table}.${field}`)),
  ]
  return {
    refusals,
    missing,
    async run() {
      await plan.runMigrations()
      for (const statement of indexes.statements) await transaction.query(statement)
    },
  }
}

async function findRefusals(
  database: Queryable,
  needed: readonly NeededTable[],
  found: ReadonlyMap<string, ExistingTable>,
): Promise<TableRefusal[]> {
  const refusals: TableRefusal[] = []
  for (const table of needed) {
    const known = found.get(table.name)
    if (known === undefined) continue
    const rows = await database.query(`select 1 from ${quoteIdent(table.name)} limit 1`)
    refusals.push(...findTableRefusals(table, known, rows.length > 0))
  }
  return refusals
}

/** Rethrows a PostgreSQL error with context and a suggested fix. Connection errors are rethrown unchanged. */
function explain(error: unknown): never {
  if (isConnectionError(error) || !(error instanceof Error)) throw error
  const mayNot = 'code' in error && error.code === '42501'
  const fix = mayNot
    ? 'Allow this database user to create tables, or set autoMigrate: false and run auth.migrate() as another user'
    : 'Fix this error and restart the app'
  const message = `The auth tables could not be migrated, and nothing was changed: ${error.message}. ${fix}`
  throw new Error(message, { cause: error })
}

/**
 * Creates a pool with only the transaction's connection, so that the planner uses the transaction's schema and lock.
 */
function onlyConnection({ client }: Transaction): object {
  const query = (sql: string, values: unknown[]): unknown => client.query(sql, values)
  return { connect: async () => ({ query, release() {} }), end: async () => {} }
}
