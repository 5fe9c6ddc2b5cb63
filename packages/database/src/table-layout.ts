import type { FieldType } from '@sdk/server'

/** A column and the field that it stores. */
export interface LayoutColumn {
  readonly field: string
  /** Its SQL name, unquoted. */
  readonly name: string
  readonly type: FieldType
  /** Its SQL type without length or precision. @default the type that `table()` creates for the field type */
  readonly sqlType?: string
  /** Whether it may be null. @default true, except for `id`, `createdAt` and `updatedAt` */
  readonly isNullable?: boolean
  /** Whether its value is part of rows. @default true */
  readonly isRead?: boolean
  /** Whether only its first characters are indexed: strings of any length do not fit into an index. @default false */
  readonly isCut?: boolean
  /** Whether it stores more digits than rows show, so that exact positions must be looked up. @default false */
  readonly hasExtraPrecision?: boolean
}

/** The table and columns in which a store keeps its rows. */
export interface Layout {
  /** Quoted SQL, with its schema if it has one. */
  readonly table: string
  /** All columns, including `id`, `createdAt`, `updatedAt`, and those that only access rules use. */
  readonly columns: readonly LayoutColumn[]
  /** The integer column that counts changes, unquoted; if null, `xmin` is the version. */
  readonly version: string | null
  /** Returns the column of a field that has none here, but may get one from another process at any time. @default undefined */
  readonly toUnknownName?: (field: string) => string
}

/** One statement with its parameters. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** The name of a prepared statement. */
  readonly name?: string
}

/** Runs a statement and returns its rows. */
export type RunStatement = (statement: Statement) => Promise<Record<string, unknown>[]>

/** Returns the column of a field. Throws a `TypeError` if it is missing: a rule on it must not be lost. */
export function columnOf({ table, columns }: Layout, field: string): LayoutColumn {
  const column = columns.find((known) => known.field === field)
  if (column === undefined)
    throw new TypeError(
      `${table} has no column for ${field}: its fields are ${columns.map((known) => known.field).join(', ')}`,
    )
  return column
}

/** Returns whether a field of a row may be null. */
export function isNullable({ field, isNullable: isSaid }: LayoutColumn): boolean {
  return isSaid ?? !BASE_FIELD_NAMES.has(field)
}

/** Quotes an identifier for SQL. */
export function quoteIdent(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The number of characters that an index on a cut column holds. */
export const CUT_LENGTH = 120

/** Returns SQL for the first characters of a string. */
export function cut(text: string): string {
  return `left(${text}, ${CUT_LENGTH})`
}

/** Returns a column of the row that a statement is about, whose alias is `t` in every statement. */
export function inRow(name: string): string {
  return `t.${quoteIdent(name)}`
}

const BASE_FIELD_NAMES: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])
