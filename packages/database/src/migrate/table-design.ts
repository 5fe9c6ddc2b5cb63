import { createHash } from 'node:crypto'
import type { Field, FieldType, ResourceShape } from '@sdk/server'
import { CUT_LENGTH, quoteIdent, type LayoutColumn } from '../table-layout.ts'
import { toDefaultLiteral } from './literal.ts'

/** The design of a column. */
export interface TableColumn extends LayoutColumn {
  readonly isNullable: boolean
  /** The SQL for the value in existing rows, or null if there is no suitable value. */
  readonly default: string | null
  /** The maximum size of the column's values in an index, in octets. */
  readonly maxOctets: number
  /** Whether the column is unique. */
  readonly isUnique: boolean
}

/** The design of an index. */
export interface TableIndex {
  /** The name, which encodes the definition: if an index with this name exists, it is not created again. */
  readonly name: string
  /** The unquoted column names. */
  readonly columns: readonly string[]
  /** The kind of index. `cut` is a btree that contains only the first characters of its first column. */
  readonly kind: 'btree' | 'cut' | 'hash' | 'unique' | 'unique hash'
}

/** The design of a table. */
export interface TableDesign {
  /** The unquoted name. */
  readonly name: string
  /** The columns for the shape's fields. Every table also has the `BASE_COLUMNS`. */
  readonly columns: readonly TableColumn[]
  readonly indexes: readonly TableIndex[]
  /** The foreign keys. They are added when all tables exist. @default [] */
  readonly references?: readonly TableReference[]
  /** Whether triggers announce the changes of rows. @default false */
  readonly isLive?: boolean
}

/** The design of a foreign key to the id of another table. */
export interface TableReference {
  readonly field: string
  /** The unquoted name of the column. */
  readonly column: string
  /** The unquoted name of the other table. */
  readonly parent: string
  readonly onDelete: 'cascade' | 'restrict'
}

/** The unquoted column names, by field. */
export type ColumnNames = Readonly<Record<string, string>>

/** The columns that every table has, in addition to those for its fields. */
export const BASE_COLUMNS: readonly LayoutColumn[] = [
  { field: 'id', name: 'id', type: 'integer' },
  { field: 'createdAt', name: 'created_at', type: 'timestamp' },
  { field: 'updatedAt', name: 'updated_at', type: 'timestamp' },
]

/** The column that counts the changes to a row. */
export const VERSION_COLUMN = 'version'

/** The SQL types of fields, in PostgreSQL's own notation. */
export const SQL_TYPES: Readonly<Record<FieldType, string>> = {
  string: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamp(3) with time zone',
  date: 'date',
  json: 'jsonb',
}

/** The maximum size of an index key, in octets. A btree rejects keys over 2,704 octets. */
export const MAX_KEY_OCTETS = 2400

const MAX_CHARACTER_OCTETS = 4
const SMALL_OCTETS = 8

/** The names of the columns that PostgreSQL adds to every table. */
export const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])

/** The maximum length of a name. PostgreSQL silently truncates longer names. */
const MAX_NAME_LENGTH = 63
const SHORT_NAME_LENGTH = 50

/**
 * Returns the design of a resource's table. `names` contains the column names that differ from the default. Throws a
 * `TypeError` if the shape cannot be stored.
 */
export function toTableDesign(name: string, shape: ResourceShape, names: ColumnNames = {}): TableDesign {
  assertColumnNames(name, shape, names)
  const alone = new Set(shape.unique.filter(({ length }) => length === 1).flat())
  const columns = shape.fields.map((field) => toTableColumn(field, alone.has(field.name), names[field.name]))
  assertDistinct(name, [...BASE_COLUMNS, { field: 'version', name: VERSION_COLUMN, type: 'integer' }, ...columns])
  const keys = new Set([...shape.sort, ...shape.filter, ...(shape.references ?? [])])
  const isKey = ({ field }: LayoutColumn): boolean => keys.has(field)
  const times = BASE_COLUMNS.filter((column) => column.field !== 'id' && isKey(column))
  const indexes = [
    ...times.map((column) => createTableIndex(name, [column.name, 'id'], 'btree')),
    ...columns.filter(isKey).map((column) => toFieldIndex(name, column)),
    ...toUniqueIndexes(name, columns, shape),
  ]
  return { name, columns, indexes, ...(shape.isLive === true && { isLive: true }) }
}

/** Returns the unique indexes whose columns all exist. */
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

/** Returns the indexes for lists filtered by an access rule: one for each sort order that fits in an index. */
export function toRuleIndexes(
  { name, columns }: TableDesign,
  rule: TableColumn,
  { sort }: ResourceShape,
): TableIndex[] {
  const kind = rule.type === 'string' ? 'cut' : 'btree'
  const room = MAX_KEY_OCTETS - toMaxOctets(rule.type, CUT_LENGTH)
  const octetsOf = (order: string): number =>
    columns.find((column) => column.name === order)?.maxOctets ?? toMaxOctets('timestamp')
  const nameOf = (field: string): string =>
    columns.find((column) => column.field === field)?.name ?? toColumnName(field)
  const orders = [...new Set(sort)].filter((field) => field !== 'id').map(nameOf)
  return [
    createTableIndex(name, [rule.name, 'id'], kind),
    ...orders
      .filter((order) => order !== rule.name && octetsOf(order) <= room)
      .map((order) => createTableIndex(name, [rule.name, order, 'id'], kind)),
  ]
}

/** Returns the index that enforces uniqueness for strings of any length. */
export function toUniqueHash(table: string, columns: readonly string[]): TableIndex {
  return createTableIndex(table, columns, 'unique hash')
}

/** Returns the maximum total size of the values in some columns, in octets. */
export function sumOctets(columns: readonly TableColumn[]): number {
  return columns.reduce((sum, { maxOctets }) => sum + maxOctets, 0)
}

/** Returns the maximum size of a value in octets. `maxLength` is the maximum number of characters in a string. */
export function toMaxOctets(type: FieldType, maxLength: number = Number.POSITIVE_INFINITY): number {
  if (type === 'json') return Number.POSITIVE_INFINITY
  return type === 'string' ? maxLength * MAX_CHARACTER_OCTETS : SMALL_OCTETS
}

/** Returns whether this package created the index with this name for a table. */
export function isIndexName(name: string, table: string): boolean {
  return name.startsWith(`${table}.`.slice(0, SHORT_NAME_LENGTH))
}

/** Returns the column name for a field: `dueDate` is stored in `due_date`, and `homeURL` in `home_url`. */
export function toColumnName(field: string): string {
  const words = field.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
  return toShortName(words.toLowerCase())
}

/** Returns the field type of a column, or null if no field has its SQL type. */
export function toFieldType(sqlType: string): FieldType | null {
  const types = Object.entries(SQL_TYPES) as [FieldType, string][]
  return types.find(([, known]) => known === sqlType)?.[0] ?? null
}

/** Returns the SQL type of a new column. */
export function toColumnType(type: FieldType): string {
  // Strings are ordered by code point, as in cursors and other stores. A locale's order may change when the system's
  // libraries are updated.
  return type === 'string' ? 'text collate "C"' : SQL_TYPES[type]
}

/** Returns the SQL definition of a new column. */
export function toDefinition({ name, type, isNullable, default: value }: TableColumn): string {
  // The default is kept: older versions of the program insert rows without this column.
  const rest = `${isNullable ? '' : ' not null'}${value === null ? '' : ` default ${value}`}`
  return `${quoteIdent(name)} ${toColumnType(type)}${rest}`
}

function toTableColumn(field: Field, isUnique: boolean, column?: string): TableColumn {
  const { name, type, isNullable, maxLength } = field
  return {
    field: name,
    name: column ?? toColumnName(name),
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
  // Names of tables and columns do not contain dots, so indexes on two tables cannot have the same name.
  const name = `${table}.${columns.join(',')}${kind === 'btree' ? '' : ` ${kind}`}`
  return { name: toShortName(name), columns, kind }
}

/** Shortens a name to the length that PostgreSQL accepts. */
export function toShortName(text: string): string {
  if (text.length <= MAX_NAME_LENGTH) return text
  const mark = createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, MAX_NAME_LENGTH - SHORT_NAME_LENGTH - 1)
  return `${text.slice(0, SHORT_NAME_LENGTH)}_${mark}`
}

function assertColumnNames(table: string, { fields }: ResourceShape, names: ColumnNames): void {
  for (const [field, column] of Object.entries(names)) {
    if (!fields.some(({ name }) => name === field))
      throw new TypeError(`table ${table}: columns contains ${field}, which is not a field in the schema`)
    if (typeof column !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(column))
      throw new TypeError(
        `table ${table}: the column name for ${field} must be in snake_case, such as due_date, ` +
          `got ${JSON.stringify(column)}`,
      )
  }
}

function assertDistinct(table: string, columns: readonly LayoutColumn[]): void {
  const fields = new Map<string, string>()
  for (const { name, field } of columns) {
    if (SYSTEM_COLUMNS.has(name))
      throw new TypeError(
        `table ${table}: ${field} cannot be stored in ${name}, which is a PostgreSQL system column: rename the field`,
      )
    const other = fields.get(name)
    if (other !== undefined)
      throw new TypeError(`table ${table}: the fields ${other} and ${field} would both be stored in the column ${name}`)
    fields.set(name, field)
  }
}
