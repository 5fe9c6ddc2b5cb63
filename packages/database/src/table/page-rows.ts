import type { ListResult, Row } from '@sdk/server'
import { columnOf, inRow, isNullable, type LayoutColumn, type Layout } from '../table-layout.ts'
import { parseEpoch } from './epoch-time.ts'
import {
  type AddValues,
  isReadColumn,
  type TextRow,
  toFits,
  toIsoTimestamp,
  toJsonValue,
  toRowBytes,
  toRowColumns,
  toValueType,
} from './row-values.ts'

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

/** Creates a statement that returns all rows of a query, in the query's order. */
export function toRowsStatement(layout: Layout, from: string, { join, values }: RowExtras): string {
  const cells = [...readersOf(layout).cells, ...values.map(toJsonCell)]
  // Values are computed only for the rows of the page, so the limit must be in the inner query.
  return `select ${toNamed(cells)} from (select ${toRowColumns(layout)} ${from}) t${join}`
}

/**
 * Creates a statement that returns the first rows of a query, up to `maxBytes` but at least one row. All values of the
 * rows that it omits are null. Sizes are known before values are read: PostgreSQL returns the length of a string without
 * loading it.
 */
export function toBoundedRowsStatement(
  layout: Layout,
  from: string,
  { maxBytes, join, values, sizes, reads, columns: read }: RowExtras & { maxBytes: number },
): string {
  const columns = toRowColumns(layout)
  const fits = `${toFits([toRowBytes(layout), ...sizes].join(' + '), maxBytes)} as "fits"`
  const cells = [...readersOf(layout).cells, ...values.map(toJsonCell)]
  const fitting = cells.map((cell) => `case when t."fits" then ${cell} end`)
  const rows = `(select ${[columns, ...read, fits].join(', ')} from (select ${columns} ${from}) t${join}${reads}) t`
  return `select ${toNamed(fitting)} from ${rows}${join}`
}

function toNamed(cells: readonly string[]): string {
  return cells.map((cell, at) => `${cell} as "v${at}"`).join(', ')
}

function toJsonCell(value: string): string {
  return `to_json(${value})::text`
}

/** Converts a part of a text to the value of a field, or to undefined if it is unusual. */
type ReadText = (text: string, from: number, to: number) => unknown

interface FieldReader {
  readonly field: string
  readonly sql: string
  readonly read: ReadText
}

/** The values of a row on a page. */
interface RowReaders {
  /** The fields that are joined by commas to the first value, so none of them may be null. */
  readonly packed: readonly FieldReader[]
  /** The text that follows them in the first value after two commas, if there is one that may not be null. */
  readonly tail: FieldReader | undefined
  /** The fields that are values of their own. */
  readonly single: readonly FieldReader[]
  /** The SQL for all values. */
  readonly cells: readonly string[]
  /** A row with all its fields, in their order. */
  readonly blank: Readonly<Record<string, unknown>>
}

const readers = new WeakMap<Layout, RowReaders>()

/** Returns the values of a row, which depend only on the layout. */
function readersOf(layout: Layout): RowReaders {
  const known = readers.get(layout)
  if (known !== undefined) return known
  const read = layout.columns.filter(isReadColumn)
  const fields = [...read.map((column) => toReader(layout, column)), versionReader(layout)]
  const packed = fields.filter(({ isPacked }) => isPacked)
  const tail = packed.length === 0 ? undefined : fields.find(({ isTail }) => isTail)
  const single = fields.filter((field) => !field.isPacked && field !== tail)
  const parts = [...packed.map(({ sql }) => sql), ...(tail === undefined ? [] : [`''`, tail.sql])]
  const joined = packed.length === 0 ? [] : [`concat_ws(',', ${parts.join(', ')})`]
  const blank = Object.fromEntries(fields.map(({ field }) => [field, null]))
  const made = { packed, tail, single, cells: [...joined, ...single.map(({ sql }) => sql)], blank }
  readers.set(layout, made)
  return made
}

interface PlannedReader extends FieldReader {
  readonly isPacked: boolean
  readonly isTail?: boolean
}

function toReader(layout: Layout, column: LayoutColumn): PlannedReader {
  const { field, type } = column
  const value = inRow(column.name)
  const single = (sql: string, read: ReadText): PlannedReader => ({ field, sql, read, isPacked: false })
  const json = single(toJsonCell(toJsonValue(column)), type === 'timestamp' ? toJsonTime : toJsonField)
  if (layout.isReadAsJson === true) return json
  if (type === 'string')
    return TEXT_TYPES.has(toValueType(column))
      ? { ...single(`${value}::text`, parseText), isTail: !isNullable(column) }
      : json
  if (field === 'updatedAt' && areTimesComparable(layout))
    return single(
      `date_part('epoch', nullif(${value}, ${inRow(columnOf(layout, 'createdAt').name)}))::text`,
      parseEpoch,
    )
  const plain = toPlainReader(column, value)
  if (plain === null) return json
  return isNullable(column) ? single(`${plain.sql}::text`, plain.read) : { field, ...plain, isPacked: true }
}

/** Returns the SQL for a value whose text contains no comma and does not depend on settings. */
function toPlainReader(
  { type, hasExtraPrecision = false }: LayoutColumn,
  value: string,
): Omit<FieldReader, 'field'> | null {
  if (type === 'integer' || type === 'number') return { sql: value, read: parseNumber }
  // The text is `t` or `f` if several values are joined, and otherwise `true` or `false`.
  if (type === 'boolean') return { sql: value, read: (text, from) => text.charCodeAt(from) === LETTER_T }
  return type === 'timestamp' && !hasExtraPrecision ? { sql: `date_part('epoch', ${value})`, read: parseEpoch } : null
}

function versionReader({ version, isReadAsJson = false }: Layout): PlannedReader {
  const field = 'version'
  const sql = version === null ? 't.xmin' : inRow(version)
  const read = version === null ? parseText : isReadAsJson ? toJsonField : parseNumber
  return { field, sql: isReadAsJson ? `${sql}::text` : sql, read, isPacked: !isReadAsJson }
}

/** Types whose values have the same text as in JSON. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'varchar'])

function parseText(text: string, from: number, to: number): string {
  return text.slice(from, to)
}

function toJsonField(text: string): unknown {
  return JSON.parse(text)
}

function toJsonTime(text: string): unknown {
  return toIsoTimestamp(JSON.parse(text))
}

/** Parses digits without `Number`, which would need a string of its own. */
function parseNumber(text: string, from: number, to: number): number | undefined {
  let number = 0
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - DIGIT_0
    if (digit < 0 || digit > 9 || to - from > MAX_DIGITS) return parseAnyNumber(text.slice(from, to))
    number = number * 10 + digit
  }
  return number
}

function parseAnyNumber(text: string): number | undefined {
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

const [COMMA, DIGIT_0, LETTER_T] = [44, 48, 116]
/** The number of digits that a number can always represent exactly. */
const MAX_DIGITS = 15

/** Returns whether a page can omit the time of the last change of rows that were never changed. */
function areTimesComparable(layout: Layout): boolean {
  const [created, updated] = [columnOf(layout, 'createdAt'), columnOf(layout, 'updatedAt')]
  return (
    toValueType(created) === toValueType(updated) &&
    !isNullable(updated) &&
    [created, updated].every((column) => isReadColumn(column) && column.hasExtraPrecision !== true)
  )
}

/** Converts the result of a page's statement to rows, or to null if a value is unusual: then they are read as JSON. */
export type PageDecoder = (raw: readonly TextRow[], isBounded: boolean, add?: AddValues) => ListResult | null

/** Creates the function that converts the results of a table's pages. */
export function createPageDecoder(layout: Layout): PageDecoder {
  const { packed, tail, single, cells, blank } = readersOf(layout)
  const first = cells.length - single.length
  const omitsEqualTimes = areTimesComparable(layout) && layout.isReadAsJson !== true

  function toRow(raw: TextRow): Row | null {
    const row = { ...blank }
    if (first === 1 && !readPacked({ packed, tail }, raw[0] as string, row)) return null
    for (let at = 0; at < single.length; at += 1) {
      const text = raw[first + at] ?? null
      if (text === null) continue
      const { field, read } = single[at] as FieldReader
      if ((row[field] = read(text, 0, text.length)) === undefined) return null
    }
    if (omitsEqualTimes) row['updatedAt'] ??= row['createdAt']
    return row as Row
  }

  return (raw, isBounded, add) => {
    const rows: Row[] = []
    for (const one of raw) {
      // The first value of a row is null only if the row is omitted.
      if (isBounded && one[0] === null) return { rows, isCut: true }
      const row = toRow(one)
      if (row === null) return null
      rows.push(add === undefined ? row : add(row, one.slice(cells.length).map(toRelatedValue)))
    }
    return isBounded ? { rows, isCut: false } : { rows }
  }
}

/** Sets the fields of a row that are joined by commas. Returns false if a value is null or unusual. */
function readPacked(
  { packed, tail }: Pick<RowReaders, 'packed' | 'tail'>,
  text: string,
  row: Record<string, unknown>,
): boolean {
  let from = 0
  for (let at = 0; at < packed.length; at += 1) {
    const comma = text.indexOf(',', from)
    if ((comma === -1) !== (at === packed.length - 1 && tail === undefined)) return false
    const { field, read } = packed[at] as FieldReader
    const to = comma === -1 ? text.length : comma
    if (to === from || (row[field] = read(text, from, to)) === undefined) return false
    from = to + 1
  }
  if (tail === undefined) return true
  // Two commas in sequence separate the text, which may contain commas, from the other fields, which are never empty.
  row[tail.field] = text.slice(from + 1)
  return text.charCodeAt(from) === COMMA
}

function toRelatedValue(text: string | null): unknown {
  return text === null ? null : toJsonField(text)
}
