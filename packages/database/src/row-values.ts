import type { FieldType, Row } from '@sdk/server'
import { type Column, inRow, type Layout, quote } from './layout.ts'

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

/** What a statement selects or returns: a column for each field, and the version. */
export function toOutputs({ columns, version, isIso = false }: Layout): string {
  const read = columns.filter(isRead).map((column) => `${toOutput(column, isIso)} as ${quote(column.field)}`)
  return [...read, `${version === null ? 't.xmin::text' : inRow(version)} as "version"`].join(', ')
}

/** The columns that `toOutputs` needs. */
export function toInner({ columns, version }: Layout): string {
  const read = columns.filter(isRead).map(({ name }) => inRow(name))
  return [...read, version === null ? 't.xmin' : inRow(version)].join(', ')
}

/** Makes rows of what a driver gives, in place. A loop a kind: one over all kinds takes twice as long. */
export function createDecoder({ columns, version, isIso = false }: Layout): (raw: Record<string, unknown>) => Row {
  const read = columns.filter(isRead)
  const fieldsOf = (...types: readonly FieldType[]): string[] =>
    read.filter(({ type }) => types.includes(type)).map(({ field }) => field)
  const numbers = [...fieldsOf('integer', 'number'), ...(version === null ? [] : ['version'])]
  const [booleans, texts] = [fieldsOf('boolean'), fieldsOf('json')]
  const moments = isIso ? fieldsOf('timestamp') : []
  return (raw) => {
    for (const field of numbers) if (typeof raw[field] === 'string') raw[field] = Number(raw[field])
    for (const field of booleans) if (typeof raw[field] === 'string') raw[field] = raw[field] === 't'
    for (const field of texts) if (typeof raw[field] === 'string') raw[field] = JSON.parse(raw[field])
    for (const field of moments) if (typeof raw[field] === 'string') raw[field] = toMoment(raw[field])
    return raw as Row
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

/** Types whose values every driver gives as texts. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar'])

/** `2026-01-31 10:00:00.12` as the conventions have it; what is no such time stays as it is. */
function toMoment(text: string): string {
  const { length } = text
  if (length < 19 || length > 23 || text[4] !== '-') return text
  const end = length === 23 ? 'Z' : length === 19 ? '.000Z' : length === 22 ? '0Z' : '00Z'
  return `${text.slice(0, 10)}T${text.slice(11)}${end}`
}

function isRead({ isRead: isSaid = true }: Column): boolean {
  return isSaid
}

/**
 * Times come as texts: cheaper than the driver's `Date` and `toISOString` by half of what a page of twenty rows costs,
 * and the same whatever the session's time zone and date style are.
 */
function toOutput(column: Column, isIso: boolean): string {
  const value = inRow(column.name)
  const sqlType = sqlTypeOf(column)
  if (column.type === 'timestamp') {
    const utc = sqlType === 'timestamptz' ? `${value} at time zone 'UTC'` : value
    return isIso ? `(${utc})::text` : `to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  }
  if (column.type === 'date' && !isIso) return `to_char(${value}::timestamp, 'YYYY-MM-DD')`
  if (column.type === 'json' || column.type === 'date') return `${value}::text`
  return column.type === 'string' && !TEXTS.has(sqlType) ? `${value}::text` : value
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
