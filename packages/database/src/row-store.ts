import type { FieldType, Store } from '@sdk/server'

/** A column, and the field that it keeps. */
export interface Column {
  readonly field: string
  /** Its SQL name, unquoted. */
  readonly name: string
  readonly type: FieldType
}

/** Where the rows of a store are. */
export interface Layout {
  /** Quoted SQL, with its schema where it has one. */
  readonly table: string
  /** All of them: `id`, `createdAt` and `updatedAt` too, and those that only access rules know. */
  readonly columns: readonly Column[]
  /** The integer column that counts changes, unquoted; null: `xmin` tells versions apart. */
  readonly version: string | null
}

/** One statement with its parameters. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** For a prepared statement. */
  readonly name?: string
}

/** Runs a statement and gives its rows. */
export type Run = (statement: Statement) => Promise<Record<string, unknown>[]>

/** The store functions that a table can do by itself. */
export type RowStore = Required<Pick<Store, 'list' | 'get' | 'create' | 'replace' | 'delete'>>

/** The five functions of a store on a table. */
export function createRowStore(layout: Layout, run: Run): RowStore {
  throw new TypeError(`no rows in ${layout.table} yet, and no way to ${typeof run}`)
}
