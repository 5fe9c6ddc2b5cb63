import type { RelatedQuery, RelatedValue, Row, Store, Where } from '@sdk/server'
import type { Layout } from '../table-layout.ts'
import { createRowDecoder } from './row-values.ts'

/** A table that contains related rows, and the condition for these rows. */
export interface ResolvedTable {
  readonly layout: Layout
  readonly where: Where
}

/** A relation that a statement can read. */
export interface RelatedTable extends RelatedQuery, ResolvedTable {}

interface RelatedSource {
  /** The database, compared by identity. */
  readonly database: object
  /** Prepares the table, including the columns that the condition needs. */
  resolve(where: Where): Promise<ResolvedTable>
}

const sources = new WeakMap<Store, RelatedSource>()

/** Lets other stores in the same database read a store's rows in their statements, and vice versa. */
export function addRelatedSource(store: Store, source: RelatedSource): Store {
  const relatable: Store = { ...store, canRelate: (other) => sources.get(other)?.database === source.database }
  sources.set(relatable, source)
  return relatable
}

/** A table that another table in the same database can reference. */
export interface ParentTable {
  /** The database, compared by identity. */
  readonly database: object
  /** The unquoted name. */
  readonly table: string
  /** Creates the table if it does not exist, without its foreign keys. */
  create(): Promise<void>
}

const parents = new WeakMap<Store, ParentTable>()

/** Lets tables in the same database reference the rows of a store. */
export function addParentTable(store: Store, parent: ParentTable): Store {
  parents.set(store, parent)
  return store
}

/** Returns the table to reference. Throws a `TypeError` if the store is not a table in this database. */
export function parentTableOf(database: object, store: Store): ParentTable {
  const parent = parents.get(store)
  if (parent?.database !== database) throw new TypeError('both must be tables in the same database')
  return parent
}

/** Returns the tables for the given relations. All of their stores must be in the same database. */
export function resolveRelated(queries: readonly RelatedQuery[]): Promise<RelatedTable[]> {
  return Promise.all(
    queries.map(async (query) => {
      const source = sources.get(query.store)
      if (source === undefined) throw new TypeError(`the related rows of ${query.name} must be in the same database`)
      return { ...query, ...(await source.resolve(query.where)) }
    }),
  )
}

/** Creates a function that adds the relation values from a statement's result to a row. */
export function createRelatedDecoder(related: readonly RelatedTable[]): (row: Row, values: readonly unknown[]) => Row {
  const decoders = related.map(({ name, kind, layout }) => ({ name, decode: createValueDecoder(kind, layout) }))
  return (row, values) => ({
    ...row,
    '~related': Object.fromEntries(decoders.map(({ name, decode }, at) => [name, decode(values[at] ?? null)])),
  })
}

function createValueDecoder(kind: RelatedTable['kind'], layout: Layout): (value: unknown) => RelatedValue {
  if (kind === 'count' || kind === 'exists') return (value) => value as RelatedValue
  const { toRow } = createRowDecoder(layout)
  if (kind === 'one') return (value) => (value === null ? null : toRow(value as unknown[]))
  return (value) => ((value ?? []) as unknown[][]).map(toRow)
}
