import type { Field, FieldType, ResourceShape } from '@sdk/server'
import type { Drizzle, DrizzleColumn } from './import-drizzle.ts'
import { type Column, type Layout, quote } from '../table-layout.ts'

/** The columns that every resource needs. */
const OWN_FIELDS: readonly Field[] = [
  { name: 'id', type: 'integer', isNullable: false },
  { name: 'createdAt', type: 'timestamp', isNullable: false },
  { name: 'updatedAt', type: 'timestamp', isNullable: false },
]

/** The SQL types that can keep a field; a string is kept by all that are none of these. */
const KEEPERS: Record<Exclude<FieldType, 'string'>, readonly string[]> = {
  integer: ['bigint', 'numeric', 'double precision'],
  number: ['numeric', 'double precision', 'real', 'bigint'],
  boolean: ['boolean'],
  timestamp: ['timestamptz', 'timestamp'],
  date: ['date'],
  json: ['jsonb', 'json'],
}

/** Where a Drizzle table keeps a resource. What it lacks is a `TypeError` that lists all of it. */
export function readDrizzleLayout(
  drizzle: Drizzle,
  { db, table, shape }: { db: object; table: unknown; shape: ResourceShape },
): Layout {
  const { name, schema } = drizzle.nameOf(table)
  const found = readColumns(drizzle, db, table)
  const fields = [...OWN_FIELDS, ...shape.fields]
  const faults = fields.flatMap((field) => faultOf(field, found.get(field.name)))
  if (faults.length > 0)
    throw new TypeError(`resource "${shape.name}" does not fit the Drizzle table ${quote(name)}: ${faults.join('; ')}`)

  const version = found.get('version')
  const isCounted = version !== undefined && version.sqlType === 'bigint'
  const known = new Map(fields.map((field) => [field.name, field.type]))
  return {
    table: schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`,
    columns: Array.from(found.values())
      .filter((column) => known.has(column.field) || (column !== version && !isUnreadable(column.sqlType)))
      .map((column) => toColumn(column, known.get(column.field))),
    version: isCounted ? version.name : null,
  }
}

interface Found {
  readonly field: string
  readonly name: string
  readonly sqlType: string
  readonly column: DrizzleColumn
}

function readColumns(drizzle: Drizzle, db: object, table: unknown): Map<string, Found> {
  const entries = Object.entries(drizzle.columnsOf(table))
  const names = readNames(db, table)
  const isWhole = names.length === entries.length
  return new Map(
    entries.map(([field, column], index) => {
      const name = (isWhole ? names[index] : undefined) ?? column.name
      return [field, { field, name, sqlType: toSqlType(column), column }]
    }),
  )
}

/** The names as this database writes them: `drizzle({ casing })` changes those that the schema does not say. */
function readNames(db: object, table: unknown): string[] {
  const { select } = db as { select?: () => { from(table: unknown): { toSQL(): { sql: string } } } }
  if (select === undefined) return []
  const { sql } = select.call(db).from(table).toSQL()
  const list = /^select ((?:"(?:[^"]|"")*"(?:, )?)+) from /.exec(sql)?.[1] ?? ''
  return Array.from(list.matchAll(/"((?:[^"]|"")*)"/g), ([, name = '']) => name.replaceAll('""', '"'))
}

function faultOf({ name, type, isNullable }: Field, found: Found | undefined): string[] {
  if (found === undefined) return [`it has no ${name} (${type})`]
  const { column, sqlType } = found
  if (!canKeep(type, sqlType)) return [`${name} is ${column.getSQLType()}, which cannot keep ${type}`]
  return isNullable && column.notNull ? [`${name} may be null, but its column is not null`] : []
}

function canKeep(type: FieldType, sqlType: string): boolean {
  return type === 'string'
    ? !isUnreadable(sqlType) && sqlType !== 'json' && sqlType !== 'jsonb'
    : KEEPERS[type].includes(sqlType)
}

function isUnreadable(sqlType: string): boolean {
  return sqlType.endsWith(']') || sqlType === 'bytea'
}

/** Without a type, one that only access rules and `assign` know: it takes values, and is in no row. */
function toColumn({ field, name, sqlType, column }: Found, type: FieldType | undefined): Column {
  const known = type ?? typeOf(sqlType)
  return {
    field,
    name,
    type: known,
    sqlType,
    isNullable: !column.notNull,
    isRead: type !== undefined,
    isFiner: isFiner(known, sqlType, column.precision),
  }
}

function typeOf(sqlType: string): FieldType {
  const [type] = Object.entries(KEEPERS).find(([, sqlTypes]) => sqlTypes.includes(sqlType)) ?? ['string']
  return sqlType === 'bigint' ? 'integer' : (type as FieldType)
}

/** Rows show milliseconds, and the 15 digits that a JavaScript number surely has. */
function isFiner(type: FieldType, sqlType: string, precision: unknown): boolean {
  if (type === 'timestamp') return !(typeof precision === 'number' && precision <= 3)
  return type === 'number' && sqlType === 'numeric' && !(typeof precision === 'number' && precision <= 15)
}

/** Without length and precision, by which a cast would cut values off silently; all integers compare as the largest. */
function toSqlType(column: DrizzleColumn): string {
  if (column.enum !== undefined) {
    const { enumName, schema } = column.enum
    return schema === undefined ? quote(enumName) : `${quote(schema)}.${quote(enumName)}`
  }
  const bare = column.getSQLType().replace(/\s*\([^)]*\)/, '')
  return SYNONYMS.get(bare) ?? bare
}

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['smallint', 'bigint'],
  ['integer', 'bigint'],
  ['smallserial', 'bigint'],
  ['serial', 'bigint'],
  ['bigserial', 'bigint'],
  ['char', 'bpchar'],
  ['timestamp with time zone', 'timestamptz'],
])
