import type { Field, FieldType, ResourceShape } from '@sdk/server'
import { BASE_COLUMNS } from '../migrate/table-design.ts'
import type { DrizzleModule, DrizzleColumn } from './import-drizzle.ts'
import { type LayoutColumn, type Layout, quoteIdent } from '../table-layout.ts'

const BASE_FIELDS: readonly Field[] = BASE_COLUMNS.map(({ field, type }) => ({ name: field, type, isNullable: false }))

/** The SQL types that can store each field type. Strings can be stored in any supported type except JSON. */
const COMPATIBLE_TYPES: Record<Exclude<FieldType, 'string'>, readonly string[]> = {
  integer: ['bigint', 'numeric', 'double precision'],
  number: ['numeric', 'double precision', 'real', 'bigint'],
  boolean: ['boolean'],
  timestamp: ['timestamptz', 'timestamp'],
  date: ['date'],
  json: ['jsonb', 'json'],
}

/** Returns the layout for a resource in a Drizzle table. Throws a `TypeError` if columns are missing or unsuitable. */
export function readDrizzleLayout(
  drizzle: DrizzleModule,
  { db, table, shape }: { db: object; table: unknown; shape: ResourceShape },
): Layout {
  const { name, schema } = drizzle.nameOf(table)
  const found = readColumns(drizzle, db, table)
  const fields = [...BASE_FIELDS, ...shape.fields]
  const problems = fields.flatMap((field) => findProblems(field, found.get(field.name)))
  if (problems.length > 0)
    throw new TypeError(
      `resource "${shape.name}" does not match the Drizzle table ${quoteIdent(name)}: ${problems.join('; ')}`,
    )

  const version = found.get('version')
  const known = new Map(fields.map((field) => [field.name, field.type]))
  return {
    table: schema === undefined ? quoteIdent(name) : `${quoteIdent(schema)}.${quoteIdent(name)}`,
    schema,
    columns: Array.from(found.values())
      .filter((column) => known.has(column.field) || (column !== version && !isUnreadable(column.sqlType)))
      .map((column) => toLayoutColumn(column, known.get(column.field))),
    version: version?.sqlType === 'bigint' ? version.name : null,
  }
}

interface DrizzleField {
  readonly field: string
  readonly name: string
  readonly sqlType: string
  readonly column: DrizzleColumn
}

function readColumns(drizzle: DrizzleModule, db: object, table: unknown): Map<string, DrizzleField> {
  const entries = Object.entries(drizzle.columnsOf(table))
  const names = readNames(db, table)
  const isWhole = names.length === entries.length
  return new Map(
    entries.map(([field, column], index) => {
      const name = (isWhole ? names[index] : undefined) ?? column.name
      return [field, { field, name, sqlType: toBareSqlType(column), column }]
    }),
  )
}

/** Returns the column names in the database. `drizzle({ casing })` changes names that the schema does not specify. */
function readNames(db: object, table: unknown): string[] {
  const { select } = db as { select?: () => { from(table: unknown): { toSQL(): { sql: string } } } }
  if (select === undefined) return []
  const { sql } = select.call(db).from(table).toSQL()
  const list = /^select ((?:"(?:[^"]|"")*"(?:, )?)+) from /.exec(sql)?.[1] ?? ''
  return Array.from(list.matchAll(/"((?:[^"]|"")*)"/g), ([, name = '']) => name.replaceAll('""', '"'))
}

function findProblems({ name, type, isNullable }: Field, found: DrizzleField | undefined): string[] {
  if (found === undefined) return [`the table has no column for ${name} (${type})`]
  const { column, sqlType } = found
  if (!canStore(type, sqlType)) return [`${name} is ${column.getSQLType()}, which cannot store the type ${type}`]
  return isNullable && column.notNull ? [`${name} is nullable, but its column is NOT NULL`] : []
}

function canStore(type: FieldType, sqlType: string): boolean {
  return type === 'string'
    ? !isUnreadable(sqlType) && sqlType !== 'json' && sqlType !== 'jsonb'
    : COMPATIBLE_TYPES[type].includes(sqlType)
}

function isUnreadable(sqlType: string): boolean {
  return sqlType.endsWith(']') || sqlType === 'bytea'
}

/**
 * Creates a column. A column without a field type is used only by access rules and `assign`: it is written, but rows do
 * not include it.
 */
function toLayoutColumn({ field, name, sqlType, column }: DrizzleField, type: FieldType | undefined): LayoutColumn {
  const known = type ?? toFieldType(sqlType)
  return {
    field,
    name,
    type: known,
    sqlType,
    isNullable: !column.notNull,
    isRead: type !== undefined,
    hasExtraPrecision: hasExtraPrecision(known, sqlType, column.precision),
  }
}

function toFieldType(sqlType: string): FieldType {
  const [type] = Object.entries(COMPATIBLE_TYPES).find(([, sqlTypes]) => sqlTypes.includes(sqlType)) ?? ['string']
  return sqlType === 'bigint' ? 'integer' : (type as FieldType)
}

/**
 * Returns whether a column is more precise than the values in rows: timestamps in rows are in milliseconds, and numbers
 * have the 15 digits that a JavaScript number can represent exactly.
 */
function hasExtraPrecision(type: FieldType, sqlType: string, precision: unknown): boolean {
  if (type === 'timestamp') return !(typeof precision === 'number' && precision <= 3)
  return type === 'number' && sqlType === 'numeric' && !(typeof precision === 'number' && precision <= 15)
}

/**
 * Returns the SQL type without length or precision, since a cast to the full type would silently truncate values. All
 * integer types are treated as `bigint`.
 */
function toBareSqlType(column: DrizzleColumn): string {
  if (column.enum !== undefined) {
    const { enumName, schema } = column.enum
    return schema === undefined ? quoteIdent(enumName) : `${quoteIdent(schema)}.${quoteIdent(enumName)}`
  }
  const bare = column.getSQLType().replace(/\s*\([^)]*\)/, '')
  return TYPE_SYNONYMS.get(bare) ?? bare
}

const TYPE_SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['smallint', 'bigint'],
  ['integer', 'bigint'],
  ['smallserial', 'bigint'],
  ['serial', 'bigint'],
  ['bigserial', 'bigint'],
  ['char', 'bpchar'],
  ['timestamp with time zone', 'timestamptz'],
])
