import { createHash } from 'node:crypto'
import type { ListResult, Row, Store, Where } from '@sdk/server'
import { type StoreOperation, toStoreError } from './store-error.ts'
import type { Layout, RunStatement, Statement } from '../table-layout.ts'
import { type ResolvedTable, createRelatedDecoder, resolveRelated } from './related-tables.ts'
import { createPageDecoder, type PageDecoder } from './page-rows.ts'
import { createRowDecoder, type RowDecoder, type TextRow } from './row-values.ts'
import { createStatements, type Statements } from './statements.ts'

/** The store functions that a table implements. */
export interface RowStore extends Required<Pick<Store, 'list' | 'get' | 'create' | 'replace' | 'delete'>> {
  /** Returns the table, so that other stores can read its rows in their own statements. */
  resolve(where: Where): Promise<ResolvedTable>
}

/** Creates the five store functions for a table. `runWrite` runs the statements that change rows. */
export function createRowStore(layout: Layout, run: RunStatement, runWrite: RunStatement = run): RowStore {
  const runtime = runtimeOf(layout)
  const { statements, decode, withName } = runtime

  const execute = (statement: Statement): Promise<TextRow[]> => run(withName(statement)).then(toTextRows)
  const write = (statement: Statement): Promise<TextRow[]> => runWrite(withName(statement)).then(toTextRows)
  const throwStoreError = (attempt: StoreOperation) => (error: unknown) => {
    throw toStoreError(error, layout, attempt)
  }
  const toOne = (raw: readonly TextRow[]): Row | null => decode.one(raw)
  const failed = { read: throwStoreError('read'), write: throwStoreError('write'), delete: throwStoreError('delete') }

  return {
    async list(query) {
      const related = query.related && (await resolveRelated(query.related))
      const add = related && createRelatedDecoder(related)
      const read = ({ layout: from, decodePage, ...using }: Runtime): Promise<ListResult> =>
        run(using.withName(using.statements.list(query, related))).then(
          (raw) =>
            decodePage(toTextRows(raw), query.maxBytes !== undefined, add) ?? read(runtimeOf(toReadAsJson(from))),
          failed.read,
        )
      const page = read(runtime)
      if (!query.isCounted) return page
      const [result, counts] = await Promise.all([page, execute(statements.count(query)).catch(failed.read)])
      return { ...result, total: Number(counts[0]?.[0]) }
    },
    async get(target) {
      const related = target.related && (await resolveRelated(target.related))
      return execute(statements.get(target, related)).then(
        (raw) => decode.one(raw, related && createRelatedDecoder(related)),
        failed.read,
      )
    },
    async create(values) {
      const row = await write(statements.create(values)).then(toOne, failed.write)
      if (row === null)
        throw new Error(`insert into ${layout.table} returned neither a row nor an error: check its triggers and rules`)
      return row
    },
    replace: async (target, values) => write(statements.replace(target, values)).then(toOne, failed.write),
    delete: async (target) => write(statements.delete(target)).then(toOne, failed.delete),
    resolve: (where) => Promise.resolve({ layout, where }),
  }
}

/** Returns the values of each row. Some drivers return them by name. */
function toTextRows(rows: Awaited<ReturnType<RunStatement>>): TextRow[] {
  return Array.isArray(rows[0]) ? (rows as unknown as TextRow[]) : rows.map((row) => Object.values(row) as TextRow)
}

/** The functions that depend only on the layout. */
interface Runtime {
  readonly layout: Layout
  readonly statements: Statements
  readonly decode: RowDecoder
  readonly decodePage: PageDecoder
  readonly withName: (statement: Statement) => Statement
}

/** The runtimes by layout. They are cached, since every transaction creates its own store. */
const runtimes = new WeakMap<Layout, Runtime>()

function runtimeOf(layout: Layout): Runtime {
  const known = runtimes.get(layout)
  if (known !== undefined) return known
  const runtime = {
    layout,
    statements: createStatements(layout),
    decode: createRowDecoder(layout),
    decodePage: createPageDecoder(layout),
    withName: createStatementNames(),
  }
  runtimes.set(layout, runtime)
  return runtime
}

const layoutsReadAsJson = new WeakMap<Layout, Layout>()

/** Returns the layout for pages with unusual values, such as a time after the year 9999. */
function toReadAsJson(layout: Layout): Layout {
  const known = layoutsReadAsJson.get(layout)
  if (known !== undefined) return known
  const made = { ...layout, isReadAsJson: true }
  layoutsReadAsJson.set(layout, made)
  return made
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
    const { text, values, isText } = statement
    const known = names.get(text)
    if (known !== undefined) return { text, values, isText, name: known }
    if (names.size >= MAX_STATEMENT_NAMES) return statement
    const name = `sdk_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
    names.set(text, name)
    return { ...statement, name }
  }
}
