import type { Row } from '@sdk/server'
import { SQL_TYPES } from '../migrate/table-design.ts'
import { type LayoutColumn, inRow, type Layout } from '../table-layout.ts'

/** The values of a statement, in the order of their `$n`. */
export class Parameters {
  readonly values: (string | string[] | null)[]
  readonly #areTyped: boolean
  #isInSubselect = false

  constructor({ areTyped, values = [] }: { areTyped: boolean; values?: (string | string[] | null)[] }) {
    this.values = values
    this.#areTyped = areTyped
  }

  /**
   * Adds a value to write or to compare with, and returns its SQL. All values are sent as strings. A driver that
   * converts values by type must get `::text::bigint`, which PostgreSQL evaluates for each row that it compares.
   */
  add(column: LayoutColumn, value: unknown): string {
    return `${this.#push(toColumnText(column, value))}${this.#cast(toValueType(column))}`
  }

  addList(column: LayoutColumn, values: readonly unknown[]): string {
    const texts = values.map((value) => toColumnText(column, value) ?? refuseNull(column))
    return `${this.#push(texts)}${this.#cast(toValueType(column), '[]')}`
  }

  /** Returns an SQL condition that checks whether a value is in a list. */
  isIn(value: string, column: LayoutColumn, values: readonly unknown[]): string {
    const list = this.addList(column, values)
    // In a subselect, the generic plan for `any` would read the related rows of the entire table.
    return this.#isInSubselect ? `(${value} in (select unnest(${list}))) is true` : `${value} = any(${list})`
  }

  /** Returns an object that adds parameters to the same statement, for conditions in a subselect. */
  inSubselect(): Parameters {
    const inner = new Parameters({ areTyped: this.#areTyped, values: this.values })
    inner.#isInSubselect = true
    return inner
  }

  #push(value: string | string[] | null): string {
    return `$${this.values.push(value)}`
  }

  #cast(type: string, list = ''): string {
    return this.#areTyped || type === 'text' ? `::${type}${list}` : `::text${list}::${type}${list}`
  }
}

/** Returns the SQL for the row that a statement selects or returns, followed by other values. */
export function toRowOutput(layout: Layout, others: readonly string[] = []): string {
  return `${toRowJson(layout, others)}::text as "row"`
}

/** Returns the SQL for the size of a row, in bytes. */
export function toRowBytes({ columns }: Layout): string {
  const sizes = columns.filter((column) => isReadColumn(column) && HAS_ANY_SIZE.has(column.type))
  return [ROW_BYTES, ...sizes.map(({ name }) => `coalesce(octet_length(${inRow(name)}::text), 0)`)].join(' + ')
}

/**
 * Returns an SQL condition that checks whether a row and all rows before it fit within `maxBytes`. The first row always
 * fits.
 */
export function toFits(bytes: string, maxBytes: number): string {
  // Both functions use the same window, since PostgreSQL processes each window in a separate pass.
  const window = '(rows unbounded preceding)'
  return `sum(${bytes}) over ${window} <= ${maxBytes} or row_number() over ${window} = 1`
}

const HAS_ANY_SIZE: ReadonlySet<LayoutColumn['type']> = new Set(['string', 'json'])
/** The approximate size of a row without its strings, in bytes. */
const ROW_BYTES = 200

/**
 * Returns the SQL for a row as JSON: its fields and its version. Reading one string takes half as long as reading a
 * cell for each field, and JSON does not depend on the driver, time zone or date style.
 */
export function toRowJson(layout: Layout, others: readonly string[] = []): string {
  return `json_build_array(${[...toJsonValues(layout), ...others].join(', ')})`
}

function toJsonValues({ columns, version }: Layout): string[] {
  return [...columns.filter(isReadColumn).map(toJsonValue), version === null ? 't.xmin::text' : inRow(version)]
}

/** Returns the SQL for the columns of a row. It is created once, since that takes longer than the rest of a statement. */
export function toRowColumns(layout: Layout): string {
  const known = columnLists.get(layout)
  if (known !== undefined) return known
  const { columns, version } = layout
  const read = columns.filter(isReadColumn).map(({ name }) => inRow(name))
  const list = [...read, version === null ? 't.xmin' : inRow(version)].join(', ')
  columnLists.set(layout, list)
  return list
}

const columnLists = new WeakMap<Layout, string>()

/** The values of a row in a statement's result. */
export type TextRow = readonly (string | null)[]

/** Functions that convert the results of a table's statements to rows. */
export interface RowDecoder {
  toRow(this: void, values: readonly unknown[]): Row
  one(this: void, raw: readonly TextRow[], add?: AddValues): Row | null
}

/** A function that adds further values to a row: those that follow its fields in a result. */
export type AddValues = (row: Row, values: readonly unknown[]) => Row

/** Creates functions that convert the results of a table's statements to rows. */
export function createRowDecoder(layout: Layout): RowDecoder {
  const { columns } = layout
  const read = columns.filter(isReadColumn)
  const fields = [...read.map(({ field }) => field), 'version']
  const moments = read.filter(({ type }) => type === 'timestamp').map(({ field }) => field)
  const toRow = (values: readonly unknown[]): Row => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < fields.length; at += 1) row[fields[at] as string] = values[at]
    for (const field of moments) row[field] = toIsoTimestamp(row[field])
    return row as Row
  }
  const toWholeRow = (values: readonly unknown[], add?: AddValues): Row =>
    add === undefined ? toRow(values) : add(toRow(values), values.slice(fields.length))
  return {
    toRow,
    one: ([raw], add) => (raw === undefined ? null : toWholeRow(JSON.parse(raw[0] as string) as unknown[], add)),
  }
}

/**
 * Returns an SQL condition that compares two values for equality at row precision. For timestamps, the condition is a
 * range, which can use an index.
 */
export function equalsAtRowPrecision(column: LayoutColumn, value: string, shown: string): string {
  return column.type === 'timestamp'
    ? `${value} >= ${shown} and ${value} < ${shown} + interval '1 millisecond'`
    : `${toRowPrecision(column, value)} = ${toRowPrecision(column, shown)}`
}

/** Returns the SQL that converts a value to row precision, for a column with a higher precision. */
export function toRowPrecision({ type }: LayoutColumn, value: string): string {
  return type === 'timestamp' ? `date_trunc('milliseconds', ${value})` : `${value}::double precision`
}

/** Returns the SQL type of a column's values. */
export function toValueType({ type, sqlType = VALUE_TYPES[type] }: LayoutColumn): string {
  return sqlType
}

const VALUE_TYPES: typeof SQL_TYPES = { ...SQL_TYPES, timestamp: 'timestamptz' }

/**
 * Converts a timestamp such as `2026-01-31T10:00:00.12` to the API's format. Timestamps outside the API's range keep
 * PostgreSQL's format.
 */
export function toIsoTimestamp(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.length === 23 && value[10] === 'T') return `${value}Z`
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?$/.test(value)) return value.replace(/(?<=\d)(?= BC$|$)/, '+00')
  return `${value.slice(0, 19)}.${value.slice(20, 23).padEnd(3, '0')}Z`
}

/** Returns whether rows include a column. */
export function isReadColumn({ isRead: isSaid = true }: LayoutColumn): boolean {
  return isSaid
}

/** Returns the SQL for a value inside JSON. Most values need no conversion. */
export function toJsonValue(column: LayoutColumn): string {
  const value = inRow(column.name)
  // An interval needs no lookup of a time zone's name for each value.
  return toValueType(column) === 'timestamptz' ? `${value} at time zone interval '0'` : value
}

function toColumnText({ field, type }: LayoutColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (type === 'json') return JSON.stringify(value)
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`${field} must be of type ${type}, got ${typeof value}`)
}

/** Throws a `TypeError`, since null in a list would be compared as an empty string. */
function refuseNull({ field }: LayoutColumn): never {
  throw new TypeError(`a list of values for ${field} must not contain null`)
}
