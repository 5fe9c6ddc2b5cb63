import type { FieldType } from '@sdk/server'

/** A column and the field that it stores. */
export interface LayoutColumn {
  readonly field: string
  /** The unquoted SQL name. */
  readonly name: string
  readonly type: FieldType
  /** The SQL type without length or precision. @default the type that `table()` creates for the field type */
  readonly sqlType?: string
  /** Whether the column may be null. @default true, except for `id`, `createdAt` and `updatedAt` */
  readonly isNullable?: boolean
  /** Whether rows include the column's value. @default true */
  readonly isRead?: boolean
  /** Whether only the first characters are indexed, since long strings do not fit in an index. @default false */
  readonly isCut?: boolean
  /** Whether the column is more precise than row values, so that exact positions must be looked up. @default false */
  readonly hasExtraPrecision?: boolean
}

/** The table and columns in which a store keeps its rows. */
export interface Layout {
  /** The quoted name, including the schema if the table has one. */
  readonly table: string
  /** The unquoted name of the table's schema. @default the first schema in the search path */
  readonly schema?: string | undefined
  /** All columns, including `id`, `createdAt`, `updatedAt`, and columns that only access rules use. */
  readonly columns: readonly LayoutColumn[]
  /** The unquoted name of the integer column that counts changes. If it is null, `xmin` is the version. */
  readonly version: string | null
  /** Whether the driver sends strings unchanged, whatever the type of the parameter. @default false */
  readonly sendsStrings?: boolean
  /** Whether each value of a page is read as JSON, which takes longer but represents unusual values. @default false */
  readonly isReadAsJson?: boolean
  /**
   * Returns the column name for a field that is not in `columns`. Another process may already have created that column.
   * @default undefined
   */
  readonly toUnknownName?: (field: string) => string
}

/** One statement with its parameters. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** The name under which the statement is prepared. */
  readonly name?: string
  /** Whether all columns of the result are of type `text`: then each row may be an array of strings. @default false */
  readonly isText?: boolean | undefined
}

/** A function that runs a statement and returns its rows. */
export type RunStatement = (statement: Statement) => Promise<Record<string, unknown>[]>

/** Returns the column for a field. Throws a `TypeError` if it is missing, since a rule on it must not be ignored. */
export function columnOf({ table, columns }: Layout, field: string): LayoutColumn {
  const column = columns.find((known) => known.field === field)
  if (column === undefined)
    throw new TypeError(
      `${table} has no column for ${field}: its fields are ${columns.map((known) => known.field).join(', ')}`,
    )
  return column
}

/** Returns whether a column's field may be null. */
export function isNullable({ field, isNullable: isSaid }: LayoutColumn): boolean {
  return isSaid ?? !BASE_FIELD_NAMES.has(field)
}

/** Quotes an identifier for SQL. */
export function quoteIdent(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The number of characters that an index on a cut column contains. */
export const CUT_LENGTH = 120

/** Returns the SQL for the first characters of a string. */
export function cut(text: string): string {
  return `left(${text}, ${CUT_LENGTH})`
}

/** Returns the SQL for a column of the current row, whose alias is `t` in every statement. */
export function inRow(name: string): string {
  return `t.${quoteIdent(name)}`
}

const BASE_FIELD_NAMES: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])
