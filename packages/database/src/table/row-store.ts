import type { Store } from '@sdk/server'
import { type Attempt, toStoreError } from './store-error.ts'
import type { Layout, Run, Statement } from '../table-layout.ts'
import { createDecoder, type Decoder } from './row-values.ts'
import { createNames } from './statement-names.ts'
import { createStatements, type Statements } from './statements.ts'

export type { Run } from '../table-layout.ts'

/** The store functions that a table can do by itself. */
export type RowStore = Required<Pick<Store, 'list' | 'get' | 'create' | 'replace' | 'delete'>>

/** The five functions of a store on a table. */
export function createRowStore(layout: Layout, run: Run): RowStore {
  const { statements, decode, withName } = knowledgeOf(layout)

  const ask = (statement: Statement): Promise<Record<string, unknown>[]> => run(withName(statement))
  const refuse = (attempt: Attempt) => (error: unknown) => {
    throw toStoreError(error, layout, attempt)
  }
  const failed = { read: refuse('read'), write: refuse('write'), delete: refuse('delete') }

  return {
    async list(query) {
      const page = ask(statements.list(query)).then(decode.all, failed.read)
      if (!query.isCounted) return { rows: await page }
      const [rows, counts] = await Promise.all([page, ask(statements.count(query)).catch(failed.read)])
      return { rows, total: Number(counts[0]?.['total']) }
    },
    get: async (target) => ask(statements.get(target)).then(decode.one, failed.read),
    async create(values) {
      const row = await ask(statements.create(values)).then(decode.one, failed.write)
      if (row === null) throw new Error(`${layout.table} kept no row, and did not say why: is there a trigger or rule?`)
      return row
    },
    replace: async (target, values) => ask(statements.replace(target, values)).then(decode.one, failed.write),
    delete: async (target) => ask(statements.delete(target)).then(decode.one, failed.delete),
  }
}

interface Knowledge {
  readonly statements: Statements
  readonly decode: Decoder
  readonly withName: (statement: Statement) => Statement
}

/** By layout, since every transaction has a store of its own. */
const knowledge = new WeakMap<Layout, Knowledge>()

function knowledgeOf(layout: Layout): Knowledge {
  const known = knowledge.get(layout) ?? {
    statements: createStatements(layout),
    decode: createDecoder(layout),
    withName: createNames(),
  }
  knowledge.set(layout, known)
  return known
}
