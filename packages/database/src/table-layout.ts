import type { FieldType } from '@sdk/server'

/** A column and the field that it stores. */
export interface LayoutColumn {
  readonly field: string
  /** Its SQL name, unquoted. */
  readonly name: string
  readonly type: FieldType
  /** Its SQL type without length or precision. @default what `table()` makes for the field type */
  readonly sqlType?: string
  /** May it be null? @default true, except for `id`, `createdAt` and `updatedAt` */
  readonly isNullable?: boolean
  /** Is its value in rows? @default true */
  readonly isRead?: boolean
  /** Is it looked for by its first characters? Texts of any length have no place in an index. @default false */
  readonly isCut?: boolean
  /** Does it keep more digits than rows show? Then exact positions are looked up. @default false */
  readonly hasExtraPrecision?: boolean
}

/** The table and columns in which a store keeps its rows. */
export interface Layout {
  /** Quoted SQL, with its schema where it has one. */
  readonly table: string
  /** All of them: `id`, `createdAt` and `updatedAt` too, and those that only access rules know. */
  readonly columns: readonly LayoutColumn[]
  /** The integer column that counts changes, unquoted; null: `xmin` tells versions apart. */
  readonly version: string | null
  /** The column of a field that has none here, but may get one from another process at any time. @default there is none */
  readonly toUnknownName?: (field: string) => string
}

/** One statement with its parameters. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** For a prepared statement. */
  readonly name?: string
}

/** Runs a statement and returns its rows. */
export type RunStatement = (statement: Statement) => Promise<Record<string, unknown>[]>

/** The column of a field. One that is not there is a `TypeError`: a rule on it must not be lost. */
export function columnOf({ table, columns }: Layout, field: string): LayoutColumn {
  const column = columns.find((known) => known.field === field)
  if (column === undefined)
    throw new TypeError(
      `${table} has no column for ${field}: its fields are ${columns.map((known) => known.field).join(', ')}`,
    )
  return column
}

/** May a field of a row be null? */
export function isNullable({ field, isNullable: isSaid }: LayoutColumn): boolean {
  return isSaid ?? !BASE_FIELD_NAMES.has(field)
}

/** Quotes an identifier for SQL. */
export function quoteIdent(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The number of characters that an index on a cut column holds. */
export const CUT_LENGTH = 120

/** Returns SQL of the first characters of a text. */
export function cut(text: string): string {
  return `left(${text}, ${CUT_LENGTH})`
}

/** A column of the row that a statement is about, which every statement calls `t`. */
export function inRow(name: string): string {
  return `t.${quoteIdent(name)}`
}

const BASE_FIELD_NAMES: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])
