import type { FieldType, Row } from '@sdk/server'
import { type Column, inRow, type Layout } from './layout.ts'

/** The values of a statement in the order of their `$n`. */
export class Parameters {
  readonly values: (string | string[] | null)[] = []

  /**
   * A value to write or to compare with, as SQL. All travel as texts and become what they are in the database, so that
   * no driver has a say in it.
   */
  add(column: Column, value: unknown): string {
    return `${this.#push(toText(column, value))}::text${castOf(column)}`
  }

  /** Several values to compare with. */
  addList(column: Column, values: readonly unknown[]): string {
    const cast = castOf(column)
    return `${this.#push(values.map((value) => toText(column, value) ?? ''))}::text[]${cast && `${cast}[]`}`
  }

  #push(value: string | string[] | null): string {
    return `$${this.values.push(value)}`
  }
}

/**
 * What a statement selects or returns: a row as one JSON text of its fields and its version. To read one text takes
 * half as long as to read a cell for each, and JSON is the same whatever driver, time zone and date style there are.
 */
export function toOutputs({ columns, version }: Layout): string {
  const values = [...columns.filter(isRead).map(toOutput), version === null ? 't.xmin::text' : inRow(version)]
  return `json_build_array(${values.join(', ')})::text as "row"`
}

/** The columns that `toOutputs` needs. */
export function toInner({ columns, version }: Layout): string {
  const read = columns.filter(isRead).map(({ name }) => inRow(name))
  return [...read, version === null ? 't.xmin' : inRow(version)].join(', ')
}

/** Makes rows of what a statement gives. */
export function createDecoder({ columns }: Layout): (raw: Record<string, unknown>) => Row {
  const read = columns.filter(isRead)
  const fields = [...read.map(({ field }) => field), 'version']
  const moments = read.filter(({ type }) => type === 'timestamp').map(({ field }) => field)
  return (raw) => {
    const values = JSON.parse(raw['row'] as string) as unknown[]
    const row: Record<string, unknown> = {}
    for (const [at, field] of fields.entries()) row[field] = values[at]
    for (const field of moments) row[field] = toMoment(row[field])
    return row as Row
  }
}

/** Do rows show the same for two values of a column? As SQL. */
export function showSame({ type }: Column, one: string, other: string): string {
  return type === 'timestamp'
    ? `date_trunc('milliseconds', ${one}) = ${other}`
    : `${one}::double precision = ${other}::double precision`
}

/** The SQL type of a column's values. */
export function sqlTypeOf({ type, sqlType = SQL_TYPES[type] }: Column): string {
  return sqlType
}

const SQL_TYPES: Record<FieldType, string> = {
  string: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  date: 'date',
  json: 'jsonb',
}

/** `2026-01-31T10:00:00.12` as the conventions have it; what is no such time stays as it is. */
function toMoment(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?$/.test(value)) return value
  return `${value.slice(0, 19)}.${value.slice(20, 23).padEnd(3, '0')}Z`
}

function isRead({ isRead: isSaid = true }: Column): boolean {
  return isSaid
}

/** A value to put into JSON: most are right by themselves. */
function toOutput(column: Column): string {
  const value = inRow(column.name)
  return sqlTypeOf(column) === 'timestamptz' ? `${value} at time zone 'UTC'` : value
}

function toText({ field, type }: Column, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (type === 'json') return JSON.stringify(value)
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`${field} is kept as ${type}, but got ${typeof value}`)
}

function castOf(column: Column): string {
  const sqlType = sqlTypeOf(column)
  return sqlType === 'text' ? '' : `::${sqlType}`
}
