import type { ListResult, Row } from '@sdk/server'
import { SQL_TYPES } from '../migrate/table-design.ts'
import { type LayoutColumn, columnOf, inRow, isNullable, type Layout } from '../table-layout.ts'

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

/** The SQL for additional values of each row on a page. */
export interface RowExtras {
  /** A join that provides aliases for the keys of a row, so that subselects can refer to them. */
  readonly join: string
  /** The values of each row. */
  readonly values: readonly string[]
  /** The sizes of these values, in bytes. */
  readonly sizes: readonly string[]
  /** Joins that read sizes together with small values. */
  readonly reads: string
  /** The columns of these joins that the values refer to. */
  readonly columns: readonly string[]
}

/** Creates a statement that returns all rows of a query as one value, in the query's order. */
export function toRowsStatement(layout: Layout, from: string, { join, values }: RowExtras): string {
  // Additional values are read only for the rows of the page, so the limit must be in the inner query.
  return `select ${toPageJson(layout, values)} as "columns" from (select ${toRowColumns(layout)} ${from}) t${join}`
}

/**
 * Creates a statement that returns the first rows of a query, up to `maxBytes` but at least one row, and whether any
 * rows were omitted. Sizes are known before values are read: PostgreSQL returns the length of a string without loading
 * it.
 */
export function toBoundedRowsStatement(
  layout: Layout,
  from: string,
  { maxBytes, join, values, sizes, reads, columns: read }: RowExtras & { maxBytes: number },
): string {
  const columns = toRowColumns(layout)
  const fits = `${toFits([toRowBytes(layout), ...sizes].join(' + '), maxBytes)} as "fits"`
  return (
    `select ${toPageJson(layout, values, ' filter (where t."fits")')} as "columns", bool_or(not t."fits")::text as "isCut" ` +
    `from (select ${[columns, ...read, fits].join(', ')} from (select ${columns} ${from}) t${join}${reads}) t${join}`
  )
}

/**
 * Returns the SQL for rows as JSON: an array of the values of each column, joined by commas, or an empty string if there
 * are no rows. It takes half as long as an array for each row, since an aggregate looks up the type of its values only
 * once.
 */
function toPageJson(layout: Layout, others: readonly string[], filter = ''): string {
  return filter === '' && others.length === 0
    ? layoutSqlOf(layout).page
    : aggregateColumns([...toPageValues(layout), ...others], filter)
}

/**
 * Returns the SQL for the values of a row on a page. If a row was never changed, the time of its last change is null:
 * timestamps take longer than other values.
 */
function toPageValues(layout: Layout): string[] {
  const values = toJsonValues(layout)
  if (!areTimesComparable(layout)) return values
  const [created, updated] = [columnOf(layout, 'createdAt'), columnOf(layout, 'updatedAt')]
  const last = toJsonValue(updated)
  const changed = last.replace(inRow(updated.name), () => `nullif(${inRow(updated.name)}, ${inRow(created.name)})`)
  return values.map((value) => (value === last ? changed : value))
}

/** Returns whether a page can omit the times of rows that were never changed. */
function areTimesComparable(layout: Layout): boolean {
  const [created, updated] = [columnOf(layout, 'createdAt'), columnOf(layout, 'updatedAt')]
  return toValueType(created) === toValueType(updated) && !isNullable(updated) && [created, updated].every(isReadColumn)
}

function aggregateColumns(values: readonly string[], filter = ''): string {
  return `concat_ws(',', ${values.map((value) => `json_agg(${value})${filter}`).join(', ')})`
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

/** Returns the SQL for the columns of a row. */
export function toRowColumns(layout: Layout): string {
  return layoutSqlOf(layout).columns
}

/** The SQL that depends only on the layout. It is created once, since that takes longer than the rest of a statement. */
interface LayoutSql {
  readonly columns: string
  readonly page: string
}

const layoutSqls = new WeakMap<Layout, LayoutSql>()

function layoutSqlOf(layout: Layout): LayoutSql {
  const known = layoutSqls.get(layout)
  if (known !== undefined) return known
  const { columns, version } = layout
  const read = columns.filter(isReadColumn).map(({ name }) => inRow(name))
  const made = {
    columns: [...read, version === null ? 't.xmin' : inRow(version)].join(', '),
    page: aggregateColumns(toPageValues(layout)),
  }
  layoutSqls.set(layout, made)
  return made
}

type DriverRow = Record<string, unknown>

/** Functions that convert the results of a table's statements to rows. */
export interface RowDecoder {
  toRow(this: void, values: readonly unknown[]): Row
  one(this: void, raw: readonly DriverRow[], add?: AddValues): Row | null
  page(this: void, raw: readonly DriverRow[], add?: AddValues): ListResult
}

/** A function that adds further values to a row: those that follow its fields in a result. */
type AddValues = (row: Row, values: readonly unknown[]) => Row

/** Creates functions that convert the results of a table's statements to rows. */
export function createRowDecoder(layout: Layout): RowDecoder {
  const { columns } = layout
  const read = columns.filter(isReadColumn)
  const fields = [...read.map(({ field }) => field), 'version']
  const areMoments = read.map(({ type }) => type === 'timestamp')
  const moments = fields.filter((_, at) => areMoments[at])
  const [createdAt, updatedAt] = [fields.indexOf('createdAt'), fields.indexOf('updatedAt')]
  const omitsEqualTimes = areTimesComparable(layout)
  const toRow = (values: readonly unknown[]): Row => {
    const row: DriverRow = {}
    for (let at = 0; at < fields.length; at += 1) row[fields[at] as string] = values[at]
    for (const field of moments) row[field] = toIsoTimestamp(row[field])
    return row as Row
  }
  const toWholeRow = (values: readonly unknown[], add?: AddValues): Row =>
    add === undefined ? toRow(values) : add(toRow(values), values.slice(fields.length))
  return {
    toRow,
    one: ([raw], add) => (raw === undefined ? null : toWholeRow(JSON.parse(raw['row'] as string) as unknown[], add)),
    page([raw], add) {
      const found = JSON.parse(`[${raw?.['columns'] as string}]`) as (readonly unknown[])[]
      const values = found.map((column, at) => (areMoments[at] ? column.map(toIsoTimestamp) : column))
      const created = values[createdAt]
      if (omitsEqualTimes && created !== undefined)
        values[updatedAt] = (values[updatedAt] ?? []).map((time, number) => time ?? created[number])
      const others = values.slice(fields.length)
      const rows = (values[0] ?? []).map((_, number) => {
        const row: DriverRow = {}
        for (let at = 0; at < fields.length; at += 1) row[fields[at] as string] = values[at]?.[number]
        return add === undefined ? (row as Row) : add(row as Row, valuesAt(others, number))
      })
      // Only a bounded statement returns `isCut`.
      return raw?.['isCut'] === undefined ? { rows } : { rows, isCut: raw['isCut'] === 'true' }
    },
  }
}

/** Returns the values of one row. */
function valuesAt(columns: readonly (readonly unknown[])[], row: number): unknown[] {
  return columns.map((column) => column[row])
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
