import type { ListResult, Row } from '@sdk/server'
import { SQL_TYPES } from '../migrate/table-design.ts'
import { type LayoutColumn, inRow, type Layout } from '../table-layout.ts'

/** The values of a statement, in the order of their `$n`. */
export class Parameters {
  readonly values: (string | string[] | null)[] = []

  /**
   * Adds a value to write or to compare with, and returns its SQL. All values are sent as strings, so that no driver
   * converts them.
   */
  add(column: LayoutColumn, value: unknown): string {
    return `${this.#push(toColumnText(column, value))}::text${castOf(column)}`
  }

  addList(column: LayoutColumn, values: readonly unknown[]): string {
    const cast = castOf(column)
    const texts = values.map((value) => toColumnText(column, value) ?? refuseNull(column))
    return `${this.#push(texts)}::text[]${cast && `${cast}[]`}`
  }

  #push(value: string | string[] | null): string {
    return `$${this.values.push(value)}`
  }
}

/** Returns the SQL for the row that a statement selects or returns. */
export function toRowOutput(layout: Layout): string {
  return `${toRowJson(layout)}::text as "row"`
}

/** Creates a statement that returns all rows of a query as one value, in the query's order. */
export function toRowsStatement(layout: Layout, from: string): string {
  return `select json_agg(x."row")::text as "rows" from (select ${toRowJson(layout)} as "row" ${from}) x`
}

/**
 * Creates a statement that returns the first rows of a query, up to `maxBytes` but at least one row, and whether any
 * rows were omitted. Sizes are known before values are read: PostgreSQL returns the length of a string without loading
 * it.
 */
export function toBoundedRowsStatement(layout: Layout, from: string, maxBytes: number): string {
  const columns = toRowColumns(layout)
  const sizes = layout.columns.filter((column) => isReadColumn(column) && HAS_ANY_SIZE.has(column.type))
  const bytes = [ROW_BYTES, ...sizes.map(({ name }) => `coalesce(octet_length(${inRow(name)}::text), 0)`)].join(' + ')
  const fits = `sum(${bytes}) over (rows unbounded preceding) <= ${maxBytes} or row_number() over () = 1`
  return (
    `select (json_agg(${toRowJson(layout)}) filter (where t."fits"))::text as "rows", bool_or(not t."fits")::text as "isCut" ` +
    `from (select ${columns}, ${fits} as "fits" from (select ${columns} ${from}) t) t`
  )
}

const HAS_ANY_SIZE: ReadonlySet<LayoutColumn['type']> = new Set(['string', 'json'])
/** The approximate size of a row without its strings, in bytes. */
const ROW_BYTES = 200

/**
 * Returns the SQL for a row as JSON: its fields and its version. Reading one string takes half as long as reading a
 * cell for each field, and JSON does not depend on the driver, time zone or date style.
 */
function toRowJson({ columns, version }: Layout): string {
  const values = [...columns.filter(isReadColumn).map(toJsonValue), version === null ? 't.xmin::text' : inRow(version)]
  return `json_build_array(${values.join(', ')})`
}

/** Returns the SQL for the columns of a row. */
export function toRowColumns({ columns, version }: Layout): string {
  const read = columns.filter(isReadColumn).map(({ name }) => inRow(name))
  return [...read, version === null ? 't.xmin' : inRow(version)].join(', ')
}

type DriverRow = Record<string, unknown>

/** Creates functions that convert the results of a table's statements to rows. */
export function createRowDecoder({ columns }: Layout): {
  one(raw: readonly DriverRow[]): Row | null
  page(raw: readonly DriverRow[]): ListResult
} {
  const read = columns.filter(isReadColumn)
  const fields = [...read.map(({ field }) => field), 'version']
  const moments = read.filter(({ type }) => type === 'timestamp').map(({ field }) => field)
  const toRow = (values: readonly unknown[]): Row => {
    const row: DriverRow = {}
    for (let at = 0; at < fields.length; at += 1) row[fields[at] as string] = values[at]
    for (const field of moments) row[field] = toIsoTimestamp(row[field])
    return row as Row
  }
  return {
    one: ([raw]) => (raw === undefined ? null : toRow(JSON.parse(raw['row'] as string) as unknown[])),
    page([raw]) {
      const found = raw?.['rows'] ?? null
      const rows = found === null ? [] : (JSON.parse(found as string) as unknown[][]).map(toRow)
      // Only a bounded statement returns `isCut`.
      return raw?.['isCut'] === undefined ? { rows } : { rows, isCut: raw['isCut'] === 'true' }
    },
  }
}

/**
 * Returns a SQL condition that compares two values for equality at row precision. For timestamps, the condition is a
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
function toIsoTimestamp(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.length === 23 && value[10] === 'T') return `${value}Z`
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?$/.test(value)) return value.replace(/(?<=\d)(?= BC$|$)/, '+00')
  return `${value.slice(0, 19)}.${value.slice(20, 23).padEnd(3, '0')}Z`
}

function isReadColumn({ isRead: isSaid = true }: LayoutColumn): boolean {
  return isSaid
}

/** Returns the SQL for a value inside JSON. Most values need no conversion. */
function toJsonValue(column: LayoutColumn): string {
  const value = inRow(column.name)
  return toValueType(column) === 'timestamptz' ? `${value} at time zone 'UTC'` : value
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

function castOf(column: LayoutColumn): string {
  const sqlType = toValueType(column)
  return sqlType === 'text' ? '' : `::${sqlType}`
}
