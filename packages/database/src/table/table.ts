import type { OnceKey, OnceResult, ResourceShape, Store } from '@sdk/server'
import { toTableDesign, type TableDesign } from '../migrate/table-design.ts'
import type { Database } from '../database.ts'
import { defaultDatabaseUrl } from '../database-url.ts'
import { borrowDatabase, shareDefaultDatabase, type DatabaseShare } from '../default-database.ts'
import { createKeptResults, keepOnce } from './stored-results.ts'
import { learnColumns, toKnowledge } from './known-columns.ts'
import { createLearningStore, learnUnique, type TableMemory } from './schema-evolving-store.ts'
import { applyPlan, toInnerSite, toSite } from '../migrate/migrate.ts'
import { isInspecting } from '../is-inspecting.ts'
import { planTable } from '../migrate/plan-table.ts'
import type { RowStore } from './row-store.ts'
import { runTransaction } from '../statement-runner.ts'

/** What `table` takes beside a name. */
export interface TableOptions {
  /** Where the table is; who opened it closes it. @default the one of `DATABASE_URL`, else `pglite://.sdk/data` */
  database?: Database
}

/**
 * A table of its own for a resource, made and migrated when it is first needed.
 * @example createResource('tasks', { schema, store: table('tasks'), access: 'public' })
 */
export function table(name: string, { database }: TableOptions = {}): (shape: ResourceShape) => Store {
  assertTableName(name)
  if (database === undefined) defaultDatabaseUrl() // now: a server that cannot have its data must not start
  const share = database === undefined ? shareDefaultDatabase : () => borrowDatabase(database)
  return (shape) => createTableStore(toTableDesign(name, shape), shape, share)
}

/** A table that is there, in a database that is open. */
interface Prepared {
  readonly database: Database
  readonly memory: TableMemory
  readonly rows: RowStore
}

interface Opened {
  readonly share: DatabaseShare
  preparing: Promise<Prepared> | null
  /** Once it is. */
  prepared: Prepared | null
}

function createTableStore(design: TableDesign, shape: ResourceShape, share: () => DatabaseShare): Store {
  let opened: Opened | null = null

  /** Opens and migrates once; what failed is tried again by the next who asks. */
  function prepare(): Promise<Prepared> {
    if (isInspecting()) throw new Error(`The table ${design.name} is not there while the project is only looked at`)
    const mine = (opened ??= { share: share(), preparing: null, prepared: null })
    mine.preparing ??= prepareTable(mine.share, design, shape).then(
      (prepared) => (mine.prepared = prepared),
      (error: unknown) => {
        mine.preparing = null
        throw error
      },
    )
    return mine.preparing
  }

  async function withTable<T>(work: (prepared: Prepared) => Promise<T>): Promise<T> {
    const prepared = opened?.prepared ?? (await prepare())
    try {
      return await work(prepared)
    } catch (error) {
      // Somebody dropped what this process made: the next who asks makes it again.
      if (isMissing(error) && opened?.prepared === prepared) Object.assign(opened, { preparing: null, prepared: null })
      throw error
    }
  }

  return {
    list: (query) => withTable(({ rows }) => rows.list(query)),
    get: (target) => withTable(({ rows }) => rows.get(target)),
    create: (values) => withTable(({ rows }) => rows.create(values)),
    replace: (target, values) => withTable(({ rows }) => rows.replace(target, values)),
    delete: (target) => withTable(({ rows }) => rows.delete(target)),
    once: (key, work) => withTable((prepared) => workOnce(prepared, key, work)),
    async ready() {
      if (isInspecting()) return
      await (await prepare()).database.ready()
    },
    async close() {
      const closing = opened
      opened = null
      // What is under way ends first; whoever waits for it hears of its failure.
      await closing?.preparing?.catch(() => {})
      await closing?.share.release()
    },
  }
}

async function workOnce(
  { database, memory }: Prepared,
  key: OnceKey,
  work: (store: Store) => Promise<string>,
): Promise<OnceResult> {
  let inner = memory
  const result = await runTransaction(database, (run, client) => {
    inner = { ...memory }
    return keepOnce(run, key, () => work(createLearningStore(inner, toInnerSite(run, client))))
  })
  // Only now: columns that were made in a transaction are gone with it.
  if (inner.knowledge !== memory.knowledge) memory.knowledge = join(memory, inner)
  return result
}

async function prepareTable(share: DatabaseShare, design: TableDesign, shape: ResourceShape): Promise<Prepared> {
  const database = await share.database
  const site = toSite(database)
  const found = await applyPlan(site, design.name, (seen) => planTable(design, seen))
  await createKeptResults(site.run)
  const memory = { design, shape, knowledge: toKnowledge(design, found) }
  await learnUnique(memory, site)
  return { database, memory, rows: createLearningStore(memory, site) }
}

function join({ knowledge }: TableMemory, inner: TableMemory): TableMemory['knowledge'] {
  const learned = [...inner.knowledge.columns.values()].filter(({ isLearned }) => isLearned)
  return learnColumns(knowledge, learned)
}

/** SQLSTATE of a table or column that is not there. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '42P01' || error.code === '42703')
}

function assertTableName(name: string): void {
  if (typeof name === 'string' && /^(?!pg_|sdk_)[a-z][a-z0-9_]{0,62}$/.test(name)) return
  throw new TypeError(
    `a table has a name in snake_case, such as line_items, that begins with neither pg_ nor sdk_, got ${JSON.stringify(name)}`,
  )
}
