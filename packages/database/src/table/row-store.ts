import type { Store } from '@sdk/server'
import { type StoreOperation, toStoreError } from './store-error.ts'
import type { Layout, RunStatement, Statement } from '../table-layout.ts'
import { createRowDecoder, type RowDecoder } from './row-values.ts'
import { createStatementNames } from './statement-names.ts'
import { createStatements, type Statements } from './statements.ts'

/** The store functions that a table can do by itself. */
export type RowStore = Required<Pick<Store, 'list' | 'get' | 'create' | 'replace' | 'delete'>>

/** The five functions of a store on a table. */
export function createRowStore(layout: Layout, run: RunStatement): RowStore {
  const { statements, decode, withName } = runtimeOf(layout)

  const execute = (statement: Statement): Promise<Record<string, unknown>[]> => run(withName(statement))
  const throwStoreError = (attempt: StoreOperation) => (error: unknown) => {
    throw toStoreError(error, layout, attempt)
  }
  const failed = { read: throwStoreError('read'), write: throwStoreError('write'), delete: throwStoreError('delete') }

  return {
    async list(query) {
      const page = execute(statements.list(query)).then(decode.all, failed.read)
      if (!query.isCounted) return { rows: await page }
      const [rows, counts] = await Promise.all([page, execute(statements.count(query)).catch(failed.read)])
      return { rows, total: Number(counts[0]?.['total']) }
    },
    get: async (target) => execute(statements.get(target)).then(decode.one, failed.read),
    async create(values) {
      const row = await execute(statements.create(values)).then(decode.one, failed.write)
      if (row === null) throw new Error(`${layout.table} kept no row, and did not say why: is there a trigger or rule?`)
      return row
    },
    replace: async (target, values) => execute(statements.replace(target, values)).then(decode.one, failed.write),
    delete: async (target) => execute(statements.delete(target)).then(decode.one, failed.delete),
  }
}

interface LayoutRuntime {
  readonly statements: Statements
  readonly decode: RowDecoder
  readonly withName: (statement: Statement) => Statement
}

/** By layout, since every transaction has a store of its own. */
const runtimes = new WeakMap<Layout, LayoutRuntime>()

function runtimeOf(layout: Layout): LayoutRuntime {
  const known = runtimes.get(layout) ?? {
    statements: createStatements(layout),
    decode: createRowDecoder(layout),
    withName: createStatementNames(),
  }
  runtimes.set(layout, known)
  return known
}
