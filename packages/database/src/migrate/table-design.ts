import { createHash } from 'node:crypto'
import type { Field, FieldType, ResourceShape } from '@sdk/server'
import { CUT_LENGTH, quoteIdent, type LayoutColumn } from '../table-layout.ts'
import { toDefaultLiteral } from './literal.ts'

/** The design of a column. */
export interface TableColumn extends LayoutColumn {
  readonly isNullable: boolean
  /** SQL of the value for existing rows; null if there is no suitable value. */
  readonly default: string | null
  /** The maximum size of its values in an index, in octets. */
  readonly maxOctets: number
  /** Whether it is unique. */
  readonly isUnique: boolean
}

/** The design of an index. */
export interface TableIndex {
  /** Describes the index, so that an existing one with this name is not created again. */
  readonly name: string
  /** Unquoted. */
  readonly columns: readonly string[]
  /** `cut`: a btree of only the first characters of its first column. */
  readonly kind: 'btree' | 'cut' | 'hash' | 'unique' | 'unique hash'
}

/** The design of a table. */
export interface TableDesign {
  /** Unquoted. */
  readonly name: string
  /** The columns of the shape; every table has `OWN_COLUMNS` too. */
  readonly columns: readonly TableColumn[]
  readonly indexes: readonly TableIndex[]
}

/** The columns that every table has for the resource itself. */
export const BASE_COLUMNS: readonly LayoutColumn[] = [
  { field: 'id', name: 'id', type: 'integer' },
  { field: 'createdAt', name: 'created_at', type: 'timestamp' },
  { field: 'updatedAt', name: 'updated_at', type: 'timestamp' },
]

/** The column that counts the changes of a row. */
export const VERSION_COLUMN = 'version'

/** The SQL types of fields, as PostgreSQL itself writes them. */
export const SQL_TYPES: Readonly<Record<FieldType, string>> = {
  string: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamp(3) with time zone',
  date: 'date',
  json: 'jsonb',
}

/** A btree refuses keys over 2,704 octets. */
export const MAX_KEY_OCTETS = 2400

const MAX_CHARACTER_OCTETS = 4
const SMALL_OCTETS = 8

/** PostgreSQL has columns of these names in every table. */
export const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])

/** PostgreSQL truncates longer names silently. */
const MAX_NAME_LENGTH = 63
const SHORT_NAME_LENGTH = 50

/** Returns the design of a resource's table. Throws a `TypeError` if the shape cannot be stored. */
export function toTableDesign(name: string, shape: ResourceShape): TableDesign {
  const alone = new Set(shape.unique.filter(({ length }) => length === 1).flat())
  const columns = shape.fields.map((field) => toTableColumn(field, alone.has(field.name)))
  assertDistinct(name, [...BASE_COLUMNS, { field: 'version', name: VERSION_COLUMN, type: 'integer' }, ...columns])
  const isKey = ({ field }: LayoutColumn): boolean => shape.sort.includes(field) || shape.filter.includes(field)
  const times = BASE_COLUMNS.filter((column) => column.field !== 'id' && isKey(column))
  const indexes = [
    ...times.map((column) => createTableIndex(name, [column.name, 'id'], 'btree')),
    ...columns.filter(isKey).map((column) => toFieldIndex(name, column)),
    ...toUniqueIndexes(name, columns, shape),
  ]
  return { name, columns, indexes }
}

/** Returns the unique indexes whose columns exist. */
export function toUniqueIndexes(
  table: string,
  columns: readonly TableColumn[],
  { unique }: ResourceShape,
): TableIndex[] {
  const groups = unique.map((group) => group.map((field) => columns.find((column) => column.field === field)))
  return groups
    .filter((group) => group.every((column) => column !== undefined))
    .map((group) => toUniqueIndex(table, group))
}

/** Returns the indexes for lists that an access rule filters: one for each sort order of the shape that fits into an index. */
export function toRuleIndexes(
  { name, columns }: TableDesign,
  rule: TableColumn,
  { sort }: ResourceShape,
): TableIndex[] {
  const kind = rule.type === 'string' ? 'cut' : 'btree'
  const room = MAX_KEY_OCTETS - toMaxOctets(rule.type, CUT_LENGTH)
  const octetsOf = (order: string): number =>
    columns.find((column) => column.name === order)?.maxOctets ?? toMaxOctets('timestamp')
  const orders = [...new Set(sort)].filter((field) => field !== 'id').map(toColumnName)
  return [
    createTableIndex(name, [rule.name, 'id'], kind),
    ...orders
      .filter((order) => order !== rule.name && octetsOf(order) <= room)
      .map((order) => createTableIndex(name, [rule.name, order, 'id'], kind)),
  ]
}

/** Returns the index that keeps texts of any length unique. */
export function toUniqueHash(table: string, columns: readonly string[]): TableIndex {
  return createTableIndex(table, columns, 'unique hash')
}

/** Returns the total size that the values of some columns may have, in octets. */
export function sumOctets(columns: readonly TableColumn[]): number {
  return columns.reduce((sum, { maxOctets }) => sum + maxOctets, 0)
}

/** Returns the size that values of a type may have, in octets, for a number of characters. */
export function toMaxOctets(type: FieldType, maxLength: number = Number.POSITIVE_INFINITY): number {
  if (type === 'json') return Number.POSITIVE_INFINITY
  return type === 'string' ? maxLength * MAX_CHARACTER_OCTETS : SMALL_OCTETS
}

/** Returns whether this package created the index of this name for a table. */
export function isIndexName(name: string, table: string): boolean {
  return name.startsWith(`${table}.`.slice(0, SHORT_NAME_LENGTH))
}

/** Returns the column name of a field: `dueDate` is stored in `due_date`, and `homeURL` in `home_url`. */
export function toColumnName(field: string): string {
  const words = field.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
  return toShortName(words.toLowerCase())
}

/** Returns the SQL type of a new column. */
export function toColumnType(type: FieldType): string {
  // Ordered by code point, as cursors and other stores compare; the order of a language changes with the system's libraries.
  return type === 'string' ? 'text collate "C"' : SQL_TYPES[type]
}

/** Returns the SQL of a new column. */
export function toDefinition({ name, type, isNullable, default: value }: TableColumn): string {
  // The default is kept: older versions of the program insert rows without this column.
  const rest = `${isNullable ? '' : ' not null'}${value === null ? '' : ` default ${value}`}`
  return `${quoteIdent(name)} ${toColumnType(type)}${rest}`
}

function toTableColumn(field: Field, isUnique: boolean): TableColumn {
  const { name, type, isNullable, maxLength } = field
  return {
    field: name,
    name: toColumnName(name),
    type,
    isNullable,
    default: toDefaultLiteral(field),
    maxOctets: toMaxOctets(type, maxLength),
    isUnique,
  }
}

function toFieldIndex(table: string, column: TableColumn): TableIndex {
  return column.maxOctets <= MAX_KEY_OCTETS
    ? createTableIndex(table, [column.name, 'id'], 'btree')
    : createTableIndex(table, [column.name], 'hash')
}

function toUniqueIndex(table: string, columns: readonly TableColumn[]): TableIndex {
  const names = columns.map(({ name }) => name)
  return sumOctets(columns) <= MAX_KEY_OCTETS ? createTableIndex(table, names, 'unique') : toUniqueHash(table, names)
}

function createTableIndex(table: string, columns: readonly string[], kind: TableIndex['kind']): TableIndex {
  // Names of tables and columns have no dot, so two tables cannot want the same name.
  const name = `${table}.${columns.join(',')}${kind === 'btree' ? '' : ` ${kind}`}`
  return { name: toShortName(name), columns, kind }
}

function toShortName(text: string): string {
  if (text.length <= MAX_NAME_LENGTH) return text
  const mark = createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, MAX_NAME_LENGTH - SHORT_NAME_LENGTH - 1)
  return `${text.slice(0, SHORT_NAME_LENGTH)}_${mark}`
}

function assertDistinct(table: string, columns: readonly LayoutColumn[]): void {
  const fields = new Map<string, string>()
  for (const { name, field } of columns) {
    if (SYSTEM_COLUMNS.has(name))
      throw new TypeError(`table ${table}: ${field} cannot be stored in ${name}, a system column of PostgreSQL`)
    const other = fields.get(name)
    if (other !== undefined)
      throw new TypeError(`table ${table}: the fields ${other} and ${field} would both be stored in the column ${name}`)
    fields.set(name, field)
  }
}
