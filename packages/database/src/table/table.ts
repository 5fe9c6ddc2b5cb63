import type { OnceKey, OnceResult, ResourceShape, Store, StorePlan, StoreReference, Where } from '@sdk/server'
import { toTableDesign, type TableDesign } from '../migrate/table-design.ts'
import { keyOf, type Database } from '../database.ts'
import { defaultDatabaseUrl } from '../database-url.ts'
import { borrowDatabase, shareDefaultDatabase, type DatabaseShare } from '../default-database.ts'
import { recordTables, runFirst } from '../live/live-call.ts'
import { createLiveWriter } from '../live/live-writes.ts'
import { createTableWatches, type TableWatches } from '../live/table-watches.ts'
import { createResultsTable, runOnce } from './stored-results.ts'
import { assertAssigned, extendKnownColumns, toKnownColumns, type AssignedFields } from './known-columns.ts'
import {
  createSchemaEvolvingStore,
  ensureColumns,
  planAssigned,
  type TableShape,
  type TableState,
} from './schema-evolving-store.ts'
import { migrationsApplied } from '../migrate/apply-migrations.ts'
import { applyPlan, toTransactionTarget, toMigrationTarget, type TablePlan } from '../migrate/migrate.ts'
import { isInspecting } from '../is-inspecting.ts'
import { listChanges } from '../migrate/list-changes.ts'
import { planReferences } from '../migrate/plan-references.ts'
import { planTable } from '../migrate/plan-table.ts'
import { addForeignKeys } from './foreign-keys.ts'
import { addParentTable, addRelatedSource, parentTableOf, type ParentTable } from './related-tables.ts'
import type { RowStore } from './row-store.ts'
import { createStatementRunner, runTransaction } from '../statement-runner.ts'
import { currentTransaction, runOutside } from '../joined-transaction.ts'
import { throwViolation } from '../sql-error.ts'
import { throwMismatch } from '../table-mismatch.ts'

/** Options for `table`. */
export interface TableOptions {
  /**
   * The database that contains the table. The code that opened it must close it.
   * @default the database at `DATABASE_URL`, or `pglite://.sdk/data`
   */
  database?: Database
  /**
   * The columns of fields that are stored under a different name, for example after a field was renamed. By default,
   * `dueDate` is stored in `due_date`.
   * @default {}
   * @example { label: 'title' }
   */
  columns?: Readonly<Record<string, string>>
  /**
   * The types of fields that only `assign` and `access` use, such as an owner. Their columns and the indexes for access
   * rules are created at startup. Without this option, the first request that uses such a field creates its column in
   * development. In production, the request fails with 500, and a log line shows the declaration to add.
   * @default {}
   * @example { ownerId: 'string' }
   */
  assigned?: AssignedFields
}

/**
 * Creates a store for a resource in its own table, which is created and migrated on first use.
 * @example createResource('tasks', { schema, store: table('tasks'), access: 'public' })
 */
export function table(
  name: string,
  { database, columns, assigned = {} }: TableOptions = {},
): (shape: ResourceShape) => Store {
  assertTableName(name)
  if (database === undefined) defaultDatabaseUrl() // checked now: a server without a database must not start
  const share = database === undefined ? shareDefaultDatabase : () => borrowDatabase(database)
  const source = { share, id: database ?? DEFAULT_DATABASE }
  return (shape) => {
    const design = toTableDesign(name, shape, columns)
    assertAssigned(design, assigned)
    return createTableStore(design, { ...shape, assigned }, source)
  }
}

/** The identity of the default database, which is opened on first use. */
const DEFAULT_DATABASE = {}

interface TableDatabase {
  readonly share: () => DatabaseShare
  /** The identity of the database. Tables with the same identity can be read in one statement. */
  readonly id: object
}

interface PreparedTable {
  readonly database: Database
  readonly state: TableState
  readonly rows: RowStore
}

interface OpenTable {
  readonly share: DatabaseShare
  /** The table without its foreign keys. */
  creating: Promise<PreparedTable> | null
  preparing: Promise<PreparedTable> | null
  prepared: PreparedTable | null
}

function createTableStore(design: TableDesign, shape: TableShape, { share, id }: TableDatabase): Store {
  const opener = createTableOpener(design, shape, share)
  const prepareOutside = (): Promise<PreparedTable> => runOutside(async () => opener.prepare().catch(throwMismatch))

  async function withTable<T>(work: (prepared: PreparedTable) => Promise<T>): Promise<T> {
    const prepared = opener.prepared() ?? (await prepareOutside())
    try {
      return await work(prepared)
    } catch (error) {
      // The table was dropped in the meantime. The next call creates it again.
      if (isMissingRelation(error)) opener.forget(prepared)
      return throwMismatch(error)
    }
  }

  const store: Store = {
    list: (query) => withTable(({ rows }) => rows.list(query)),
    get: (target) => withTable(({ rows }) => rows.get(target)),
    create: (values) => withTable(({ rows }) => rows.create(values)),
    replace: (target, values) => withTable(({ rows }) => rows.replace(target, values)),
    delete: (target) => withTable(({ rows }) => rows.delete(target)),
    once: (key, work) => withTable((prepared) => runOnceInTransaction(prepared, key, work)),
    addReferences: (references) =>
      opener.setReferences(references.map((one) => ({ ...one, parent: parentTableOf(id, one.store) }))),
    async transaction(work, options) {
      const { database } = opener.prepared() ?? (await prepareOutside())
      return database.transaction(({ query }) => work(query), options).catch(throwViolation)
    },
    currentTransaction() {
      const prepared = opener.prepared()
      // Until the table is prepared, its database is unknown, so any running transaction is returned.
      return currentTransaction(prepared === null ? undefined : keyOf(prepared.database))
    },
    table: design.name,
    watch: opener.watches.watch,
    recordTables,
    readFirst: runFirst,
    async ready() {
      if (isInspecting()) return
      await (await opener.prepare()).database.ready()
    },
    plan: async () => planChanges(await opener.database(), opener.design(), shape),
    close: opener.close,
  }
  const resolve = (where: Where) => withTable(({ rows }) => rows.resolve(where))
  const create = async () => void (await opener.create())
  return addParentTable(addRelatedSource(store, { database: id, resolve }), {
    database: id,
    table: design.name,
    create,
  })
}

/** A reference whose parent table may not exist yet. */
interface PendingReference extends Pick<StoreReference, 'field' | 'onDelete'> {
  readonly parent: ParentTable
}

/** Opens and migrates a table once. After a failure, the next call tries again. */
interface TableOpener {
  database(): Promise<Database>
  /** Returns the design of the table with its references. */
  design(): TableDesign
  /** Returns the table if it is ready. */
  prepared(): PreparedTable | null
  /** Creates the table without its foreign keys. */
  create(): Promise<PreparedTable>
  /** Creates the table and then its foreign keys. */
  prepare(): Promise<PreparedTable>
  setReferences(references: readonly PendingReference[]): void
  /** Lets the next call prepare the table again. */
  forget(prepared: PreparedTable): void
  readonly watches: TableWatches
  close(this: void): Promise<void>
}

function createTableOpener(design: TableDesign, shape: TableShape, share: () => DatabaseShare): TableOpener {
  let opened: OpenTable | null = null
  let references: readonly PendingReference[] = []
  const watches = createTableWatches(design.name, () => open().share.database)

  const open = (): OpenTable => (opened ??= { share: share(), creating: null, preparing: null, prepared: null })
  const withReferences = (): TableDesign => ({
    ...design,
    references: references.map(({ field, onDelete, parent }) => {
      const column = design.columns.find((one) => one.field === field)?.name ?? field
      return { field, column, onDelete, parent: parent.table }
    }),
  })
  function create(current: OpenTable): Promise<PreparedTable> {
    if (isInspecting())
      throw new Error(`Table ${design.name} cannot be used while the CLI inspects the project: query it in a handler`)
    current.creating ??= prepareTable(current.share, design, shape).catch((error: unknown) => {
      current.creating = null
      throw error
    })
    return current.creating
  }
  async function addReferences(current: OpenTable): Promise<PreparedTable> {
    const prepared = await create(current)
    await Promise.all(references.map(({ parent }) => parent.create()))
    await addForeignKeys(toMigrationTarget(prepared.database), withReferences())
    return (current.prepared = prepared)
  }
  const reset = (parts: Partial<OpenTable>): void => void (opened && Object.assign(opened, parts))

  return {
    database: async () => open().share.database,
    design: withReferences,
    prepared: () => opened?.prepared ?? null,
    create: async () => create(open()),
    async prepare() {
      const current = open()
      current.preparing ??= addReferences(current).catch((error: unknown) => {
        current.preparing = null
        throw error
      })
      return current.preparing
    },
    setReferences(added) {
      references = added
      // If the table is already open, its foreign keys are created by the next call.
      reset({ preparing: null, prepared: null })
    },
    forget(prepared) {
      if (opened?.prepared === prepared) reset({ creating: null, preparing: null, prepared: null })
    },
    watches,
    async close() {
      watches.close()
      const closing = opened
      opened = null
      // Waits for a running migration, whose caller receives any error.
      await closing?.preparing?.catch(() => {})
      await closing?.share.release()
    },
  }
}

async function planChanges(database: Database, design: TableDesign, shape: TableShape): Promise<StorePlan> {
  const plan: TablePlan = (seen) => [
    ...planTable(design, seen, Object.keys(shape.assigned)),
    ...planAssigned(design, shape, seen),
    ...planReferences(design, seen),
  ]
  return { table: design.name, changes: await listChanges(createStatementRunner(database), design.name, plan) }
}

async function runOnceInTransaction(
  { database, state }: PreparedTable,
  key: OnceKey,
  work: (store: Store) => Promise<string>,
): Promise<OnceResult> {
  let inner = state
  const result = await runTransaction(database, (run, client) => {
    inner = { ...state }
    return runOnce(run, key, () => work(createSchemaEvolvingStore(inner, toTransactionTarget(run, client))))
  })
  // Done only after the commit, since a rollback also removes columns that were added in the transaction.
  if (inner.knownColumns !== state.knownColumns)
    state.knownColumns = extendKnownColumns(
      state.knownColumns,
      [...inner.knownColumns.columns.values()].filter(({ isUndeclared }) => isUndeclared),
    )
  return result
}

async function prepareTable(share: DatabaseShare, design: TableDesign, shape: TableShape): Promise<PreparedTable> {
  const database = await share.database
  await migrationsApplied()
  const target = toMigrationTarget(database)
  const found = await applyPlan(target, design.name, (seen) => planTable(design, seen, Object.keys(shape.assigned)))
  await createResultsTable(target.run)
  const state = { design, shape, knownColumns: toKnownColumns(design, found) }
  await ensureColumns(state, target)
  const runWrite = shape.isLive === true ? await createLiveWriter(database) : target.run
  return { database, state, rows: createSchemaEvolvingStore(state, { ...target, runWrite }) }
}

function isMissingRelation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '42P01' || error.code === '42703')
}

function assertTableName(name: string): void {
  if (typeof name === 'string' && /^(?!pg_|sdk_)[a-z][a-z0-9_]{0,62}$/.test(name)) return
  throw new TypeError(
    `a table name must be in snake_case, such as line_items, and must not begin with pg_ or sdk_, got ${JSON.stringify(name)}`,
  )
}
