import type { ListResult, Row } from '@sdk/server'
import { SQL_TYPES } from '../migrate/table-design.ts'
import { type LayoutColumn, inRow, type Layout } from '../table-layout.ts'

/** The values of a statement in the order of their `$n`. */
export class Parameters {
  readonly values: (string | string[] | null)[] = []

  /** A value to write or to compare with, as SQL. All travel as texts, so that no driver has a say in what they are. */
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

/** What a statement selects or returns: a row. */
export function toRowOutput(layout: Layout): string {
  return `${toRowJson(layout)}::text as "row"`
}

/** A statement that gives all rows of a query at once. Its order stays: nothing stands between. */
export function toRowsStatement(layout: Layout, from: string): string {
  return `select json_agg(x."row")::text as "rows" from (select ${toRowJson(layout)} as "row" ${from}) x`
}

/**
 * Returns a statement that returns the first rows of a query, up to a number of bytes, at least one, and whether that
 * left rows out. Sizes are known before values are read: PostgreSQL need not load a text to return its length.
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
/** The bytes of a row beside its texts, about. */
const ROW_BYTES = 200

/**
 * A row as JSON: its fields and its version. To read one text takes half as long as to read a cell for each, and JSON
 * is the same whatever driver, time zone and date style there are.
 */
function toRowJson({ columns, version }: Layout): string {
  const values = [...columns.filter(isReadColumn).map(toJsonValue), version === null ? 't.xmin::text' : inRow(version)]
  return `json_build_array(${values.join(', ')})`
}

/** The columns that a row is made of. */
export function toRowColumns({ columns, version }: Layout): string {
  const read = columns.filter(isReadColumn).map(({ name }) => inRow(name))
  return [...read, version === null ? 't.xmin' : inRow(version)].join(', ')
}

type DriverRow = Record<string, unknown>

/** Creates functions that make rows of what the statements of a table give. */
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
      // Only a bounded statement has it.
      return raw?.['isCut'] === undefined ? { rows } : { rows, isCut: raw['isCut'] === 'true' }
    },
  }
}

/** Do rows show this for a value of a column? As SQL; of times a range, for which there may be an index. */
export function equalsAtRowPrecision(column: LayoutColumn, value: string, shown: string): string {
  return column.type === 'timestamp'
    ? `${value} >= ${shown} and ${value} < ${shown} + interval '1 millisecond'`
    : `${toRowPrecision(column, value)} = ${toRowPrecision(column, shown)}`
}

/** What rows show of a value, where its column keeps more. As SQL. */
export function toRowPrecision({ type }: LayoutColumn, value: string): string {
  return type === 'timestamp' ? `date_trunc('milliseconds', ${value})` : `${value}::double precision`
}

/** The SQL type of a column's values. */
export function toValueType({ type, sqlType = VALUE_TYPES[type] }: LayoutColumn): string {
  return sqlType
}

const VALUE_TYPES: typeof SQL_TYPES = { ...SQL_TYPES, timestamp: 'timestamptz' }

/** `2026-01-31T10:00:00.12` as the conventions have it; times before and after those as PostgreSQL reads them again. */
function toIsoTimestamp(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.length === 23 && value[10] === 'T') return `${value}Z`
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?$/.test(value)) return value.replace(/(?<=\d)(?= BC$|$)/, '+00')
  return `${value.slice(0, 19)}.${value.slice(20, 23).padEnd(3, '0')}Z`
}

function isReadColumn({ isRead: isSaid = true }: LayoutColumn): boolean {
  return isSaid
}

/** A value to put into JSON: most are right by themselves. */
function toJsonValue(column: LayoutColumn): string {
  const value = inRow(column.name)
  return toValueType(column) === 'timestamptz' ? `${value} at time zone 'UTC'` : value
}

function toColumnText({ field, type }: LayoutColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (type === 'json') return JSON.stringify(value)
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`${field} is kept as ${type}, but got ${typeof value}`)
}

/** A null in a list would be compared as an empty text. */
function refuseNull({ field }: LayoutColumn): never {
  throw new TypeError(`a list of values for ${field} must not have null in it`)
}

function castOf(column: LayoutColumn): string {
  const sqlType = toValueType(column)
  return sqlType === 'text' ? '' : `::${sqlType}`
}
