import type { ResourceShape, Store, StorePlan, TransactionOptions } from '@sdk/server'
import { retryable } from '../retryable.ts'
import { throwUnavailable } from '../connection-error.ts'
import { findSqlError, throwRolledBack, throwViolation } from '../sql-error.ts'
import { hostsByPool } from '../database.ts'
import { currentTransaction, findRefusal, runJoined, runOutside } from '../joined-transaction.ts'
import type { TransactionHost } from '../transaction-host.ts'
import { createPlainQuery, ensureLiveTriggers, findFeed, planLiveTriggers } from './drizzle-live.ts'
import { readDrizzleLayout } from './drizzle-layout.ts'
import { type DrizzleModule, importDrizzle } from './import-drizzle.ts'
import { createResultsTable, runOnce } from '../table/stored-results.ts'
import type { Layout, RunStatement } from '../table-layout.ts'
import { type Query, textOfSql } from '../query.ts'
import { recordStatement, recordTables, runFirst } from '../live/live-call.ts'
import { TableMismatch, throwMismatch } from '../table-mismatch.ts'
import { addRelatedSource } from '../table/related-tables.ts'
import { createRowStore } from '../table/row-store.ts'
import { toProbe } from '../table/statements.ts'

/** A Drizzle database on PostgreSQL, such as one from `drizzle-orm/node-postgres` or `drizzle-orm/pglite`. */
export interface DrizzleDatabase {
  execute(query: never): PromiseLike<unknown>
  transaction<T>(
    work: (transaction: Pick<DrizzleDatabase, 'execute'>) => Promise<T>,
    config?: { isolationLevel?: NonNullable<TransactionOptions['isolation']> },
  ): Promise<T>
}

/**
 * A table in a Drizzle schema. Its keys are the resource's fields. An optional integer column `version` counts changes.
 */
export interface DrizzleTable {
  readonly id: object
  readonly createdAt: object
  readonly updatedAt: object
}

/**
 * Creates a store for a resource in a table from your Drizzle schema. Your own migrations create the table.
 * @example createResource('tasks', { schema, access: 'public', store: drizzleTable(db, tasks) })
 */
export function drizzleTable(db: DrizzleDatabase, table: DrizzleTable): (shape: ResourceShape) => Store {
  if (typeof (db as Partial<DrizzleDatabase> | undefined)?.execute !== 'function')
    throw new TypeError('drizzleTable(db, table): db must be the result of drizzle(…), and table must be in its schema')
  return (shape) => createDrizzleStore(db, table, shape)
}

function createDrizzleStore(db: DrizzleDatabase, table: DrizzleTable, shape: ResourceShape): Store {
  const host = toTransactionHost(db)
  let opened: OpenTable | null = null
  const open = retryable(async () => (opened = await openTable(db, host, { table, shape })))
  const name = String(Reflect.get(table, Symbol.for('drizzle:Name')))
  const feed = findFeed((db as { $client?: object }).$client)
  const request = async (): Promise<OpenTable> => opened ?? (await runOutside(() => open().catch(throwMismatch)))
  const store: Store = {
    list: async (query) => (await request()).rows.list(query),
    get: async (target) => (await request()).rows.get(target),
    create: async (values) => (await request()).rows.create(values),
    replace: async (target, values) => (await request()).rows.replace(target, values),
    delete: async (target) => (await request()).rows.delete(target),
    async once(key, work) {
      const { drizzle, layout } = await request()
      return db
        .transaction((transaction) =>
          runOnce(createDrizzleRunner(drizzle, transaction), key, (run) => work(createRowStore(layout, run))),
        )
        .catch(throwUnavailable)
    },
    async transaction(work, options) {
      await request()
      return runJoined(
        host,
        ({ send }) => work((sql, values = []) => send({ sql, values }) as Promise<never[]>),
        options,
      ).catch(throwViolation)
    },
    currentTransaction: () => currentTransaction(host.key),
    table: name,
    ...(feed !== null && { watch: (onChange) => feed.watch(name, onChange) }),
    recordTables,
    readFirst: runFirst,
    ...(shape.isLive === true && { plan: () => planTriggers(db, { table, shape }) }),
    async ready() {
      await open()
    },
  }
  return addRelatedSource(store, { database: db, resolve: async (where) => (await request()).rows.resolve(where) })
}

/** Returns the transaction host: the `Database` whose pool Drizzle uses, or the Drizzle database itself. */
function toTransactionHost(db: DrizzleDatabase): TransactionHost {
  const client = (db as { $client?: object }).$client
  const known = client && hostsByPool.get(client)
  if (known !== undefined) return known
  return {
    key: client ?? db,
    async begin(isolation, work) {
      const drizzle = await importDrizzle()
      const begun = db.transaction(
        async (transaction) => {
          const run = createDrizzleRunner(drizzle, transaction)
          const send = ({ sql, values }: Query): Promise<unknown[]> => run({ text: textOfSql(sql), values })
          const last: Query[] = []
          const result = await work({ send, cancel() {}, last })
          for (const query of last) await send(query)
          // Fails if an earlier statement failed. Otherwise, the commit would roll back without an error in Drizzle.
          await run({ text: 'select 1', values: [] }).catch(throwRolledBack)
          return result
        },
        { isolationLevel: isolation },
      )
      return begun.catch(throwUnavailable)
    },
  }
}

/** Plans the triggers of a live table. All other changes are part of your own migrations. */
async function planTriggers(
  db: DrizzleDatabase,
  { table, shape }: { table: DrizzleTable; shape: ResourceShape },
): Promise<StorePlan> {
  const drizzle = await importDrizzle()
  const layout = readDrizzleLayout(drizzle, { db, table, shape })
  return planLiveTriggers(createDrizzleRunner(drizzle, db), layout)
}

type OpenTable = Awaited<ReturnType<typeof openTable>>

async function openTable(
  db: DrizzleDatabase,
  { key }: TransactionHost,
  { table, shape }: { table: DrizzleTable; shape: ResourceShape },
) {
  const drizzle = await importDrizzle()
  const layout = readDrizzleLayout(drizzle, { db, table, shape })
  const direct = createDrizzleRunner(drizzle, db)
  const explain = createPlainQuery((db as { $client?: object }).$client)
  const run: RunStatement = async (statement) => {
    const refusal = findRefusal(key)
    if (refusal !== null) throw refusal
    recordStatement(explain, statement.text)
    const joined = currentTransaction(key)
    if (joined === null) return direct(statement)
    return (await joined.send({ sql: statement.text, values: statement.values })) as Record<string, unknown>[]
  }
  try {
    await run(toProbe(layout))
  } catch (error) {
    throw toMissingTableError(error, layout)
  }
  await createResultsTable(run)
  if (shape.isLive === true) await ensureLiveTriggers(direct, layout)
  return { drizzle, layout, rows: createRowStore(layout, run) }
}

function toMissingTableError(cause: unknown, { table }: Layout): unknown {
  const { code } = findSqlError(cause) ?? {}
  if (code !== '42P01' && code !== '42703' && code !== '3F000') return cause
  const fix = 'run your migrations, such as npx drizzle-kit migrate'
  return new TableMismatch(`${table} does not exist or differs from the Drizzle schema: ${fix}`, { cause })
}

function createDrizzleRunner({ toQuery }: DrizzleModule, db: Pick<DrizzleDatabase, 'execute'>): RunStatement {
  return async (statement) => {
    const result = await Promise.resolve(db.execute(toQuery(statement) as never)).catch(throwUnavailable)
    const { rows = result } = result as { rows?: unknown }
    return rows as Record<string, unknown>[]
  }
}
