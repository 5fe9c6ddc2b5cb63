import type { Row, Store } from '@sdk/server'
import { type Attempt, toStoreError } from './conflict.ts'
import type { Layout, Run, Statement } from './layout.ts'
import { createDecoder } from './row-values.ts'
import { createNames } from './statement-names.ts'
import { createStatements, type Statements } from './statements.ts'

export type { Run } from './layout.ts'

/** The store functions that a table can do by itself. */
export type RowStore = Required<Pick<Store, 'list' | 'get' | 'create' | 'replace' | 'delete'>>

/** The five functions of a store on a table. */
export function createRowStore(layout: Layout, run: Run): RowStore {
  const { statements, decode, withName } = knowledgeOf(layout)

  async function ask(statement: Statement, attempt: Attempt): Promise<Record<string, unknown>[]> {
    try {
      return await run(withName(statement))
    } catch (error) {
      throw toStoreError(error, layout, attempt)
    }
  }
  async function askOne(statement: Statement, attempt: Attempt): Promise<Row | null> {
    const [row] = await ask(statement, attempt)
    return row === undefined ? null : decode(row)
  }

  return {
    async list(query) {
      const [rows, counts] = await Promise.all([
        ask(statements.list(query), 'read'),
        query.isCounted ? ask(statements.count(query), 'read') : null,
      ])
      const page = rows.map(decode)
      return counts === null ? { rows: page } : { rows: page, total: Number(counts[0]?.['total']) }
    },
    get: async (target) => askOne(statements.get(target), 'read'),
    async create(values) {
      const row = await askOne(statements.create(values), 'write')
      if (row === null) throw new Error(`${layout.table} kept no row, and did not say why: is there a trigger or rule?`)
      return row
    },
    replace: async (target, values) => askOne(statements.replace(target, values), 'write'),
    delete: async (target) => askOne(statements.delete(target), 'delete'),
  }
}

interface Knowledge {
  readonly statements: Statements
  readonly decode: (raw: Record<string, unknown>) => Row
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
