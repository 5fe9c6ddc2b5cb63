import { createHash } from 'node:crypto'
import type { Row, Store, Where } from '@sdk/server'
import { type StoreOperation, toStoreError } from './store-error.ts'
import type { Layout, RunStatement, Statement } from '../table-layout.ts'
import { type ResolvedTable, createRelatedDecoder, resolveRelated } from './related-tables.ts'
import { createRowDecoder } from './row-values.ts'
import { createStatements } from './statements.ts'

/** The store functions that a table implements. */
export interface RowStore extends Required<Pick<Store, 'list' | 'get' | 'create' | 'replace' | 'delete'>> {
  /** Returns the table, so that other stores can read its rows in their own statements. */
  resolve(where: Where): Promise<ResolvedTable>
}

/** Creates the five store functions for a table. */
export function createRowStore(layout: Layout, run: RunStatement): RowStore {
  const { statements, decode, withName } = runtimes.get(layout) ?? createRuntime(layout)

  const execute = (statement: Statement): ReturnType<RunStatement> => run(withName(statement))
  const throwStoreError = (attempt: StoreOperation) => (error: unknown) => {
    throw toStoreError(error, layout, attempt)
  }
  const toOne = (raw: Awaited<ReturnType<RunStatement>>): Row | null => decode.one(raw)
  const failed = { read: throwStoreError('read'), write: throwStoreError('write'), delete: throwStoreError('delete') }

  return {
    async list(query) {
      const related = query.related && (await resolveRelated(query.related))
      const page = execute(statements.list(query, related)).then(
        (raw) => decode.page(raw, related && createRelatedDecoder(related)),
        failed.read,
      )
      if (!query.isCounted) return page
      const [result, counts] = await Promise.all([page, execute(statements.count(query)).catch(failed.read)])
      return { ...result, total: Number(counts[0]?.['total']) }
    },
    async get(target) {
      const related = target.related && (await resolveRelated(target.related))
      return execute(statements.get(target, related)).then(
        (raw) => decode.one(raw, related && createRelatedDecoder(related)),
        failed.read,
      )
    },
    async create(values) {
      const row = await execute(statements.create(values)).then(toOne, failed.write)
      if (row === null)
        throw new Error(`insert into ${layout.table} returned neither a row nor an error: check its triggers and rules`)
      return row
    },
    replace: async (target, values) => execute(statements.replace(target, values)).then(toOne, failed.write),
    delete: async (target) => execute(statements.delete(target)).then(toOne, failed.delete),
    resolve: (where) => Promise.resolve({ layout, where }),
  }
}

/** The runtimes by layout. They are cached, since every transaction creates its own store. */
const runtimes = new WeakMap<Layout, ReturnType<typeof createRuntime>>()

function createRuntime(layout: Layout) {
  const runtime = {
    statements: createStatements(layout),
    decode: createRowDecoder(layout),
    withName: createStatementNames(),
  }
  runtimes.set(layout, runtime)
  return runtime
}

/**
 * The maximum number of named statements. Filters produce many different statements, and each connection keeps every
 * named one.
 */
const MAX_STATEMENT_NAMES = 100

/**
 * Creates a function that assigns names to prepared statements. The same text always has the same name, since pools are
 * shared.
 */
function createStatementNames(): (statement: Statement) => Statement {
  const names = new Map<string, string>()
  return (statement) => {
    const { text, values } = statement
    const known = names.get(text)
    if (known !== undefined) return { text, values, name: known }
    if (names.size >= MAX_STATEMENT_NAMES) return statement
    const name = `sdk_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
    names.set(text, name)
    return { text, values, name }
  }
}
