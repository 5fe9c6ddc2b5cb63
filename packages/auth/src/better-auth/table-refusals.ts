import { quoteIdent as quote } from '@sdk/database'
import type { DBFieldAttribute } from 'better-auth/db'
import type { ExistingColumn, ExistingTable } from './existing-tables.ts'

/** A table that Better Auth needs. `fields` does not include the `id` column. */
export interface NeededTable {
  readonly name: string
  readonly fields: Readonly<Record<string, DBFieldAttribute>>
}

/** A reason why a table cannot be migrated, and how the developer can fix it. */
export interface TableRefusal {
  readonly table: string
  readonly column: string | null
  readonly why: string
  readonly fix: string
}

/** Creates the error that lists the changes the developer must make. */
export function toTablesError(refusals: readonly TableRefusal[]): Error {
  const lines = refusals.flatMap(({ table, column, why, fix }) => [
    `- table ${quote(table)}${column === null ? '' : `, column ${quote(column)}`}: ${why}.`,
    `  Fix: ${fix}`,
  ])
  const head = 'The auth tables cannot be migrated without risking existing data, so nothing was changed:'
  return new Error([head, ...lines].join('\n'))
}

/** Returns the reasons why an existing table cannot be migrated, or an empty array if it can. */
export function findTableRefusals(needed: NeededTable, found: ExistingTable, isPopulated: boolean): TableRefusal[] {
  const foreign = whyForeign(needed, found)
  if (foreign !== null)
    return [{ table: needed.name, column: null, why: `${foreign}, so it is not an auth table`, fix: FOREIGN_TABLE_FIX }]
  return [...columnRefusals(needed, found, isPopulated), ...unknownColumnRefusals(needed, found)]
}

const FOREIGN_TABLE_FIX =
  'rename it, or use a separate schema for auth: `create schema auth`, and a connectionString with `?options=-csearch_path%3Dauth`'

function whyForeign({ fields }: NeededTable, { kind, columns }: ExistingTable): string | null {
  if (kind === 'view') return 'it is a view'
  const { id } = columns
  if (id === undefined) return 'it has no column "id"'
  if (!isTypeOf(id, 'string')) return `its "id" is ${id.type}, not text`
  const isKnown = Object.keys(fields).some((name) => columns[name] !== undefined)
  return isKnown ? null : 'it has none of the expected columns'
}

function columnRefusals(
  { name: table, fields }: NeededTable,
  found: ExistingTable,
  isPopulated: boolean,
): TableRefusal[] {
  return Object.entries(fields).flatMap(([column, field]) => {
    const known = found.columns[column]
    if (known === undefined) return isPopulated && !canBeAdded(field) ? [toRequiredRefusal(table, column, field)] : []
    return isTypeOf(known, field.type) ? [] : [toTypeRefusal(table, column, { known, field })]
  })
}

function toRequiredRefusal(table: string, column: string, field: DBFieldAttribute): TableRefusal {
  const [whole, part] = [quote(table), quote(column)]
  return {
    table,
    column,
    why: 'it is required and has no default, so it cannot be added to a table that has rows',
    fix:
      `alter table ${whole} add column ${part} ${sqlType(field.type)}; ` +
      `update ${whole} set ${part} = …; alter table ${whole} alter column ${part} set not null`,
  }
}

function toTypeRefusal(
  table: string,
  column: string,
  { known, field }: { known: ExistingColumn; field: DBFieldAttribute },
): TableRefusal {
  const type = sqlType(field.type)
  return {
    table,
    column,
    why: `it is ${known.type}, but must be ${type}`,
    fix: `alter table ${quote(table)} alter column ${quote(column)} type ${type} using ${quote(column)}::${type}, if all values can be converted`,
  }
}

/** Returns refusals for required columns that Better Auth's inserts would leave empty. */
function unknownColumnRefusals({ name: table, fields }: NeededTable, { columns }: ExistingTable): TableRefusal[] {
  return Object.entries(columns)
    .filter(([column, { isNullable, hasDefault }]) => {
      return column !== 'id' && !Object.hasOwn(fields, column) && !isNullable && !hasDefault
    })
    .map(([column]) => ({
      table,
      column,
      why: 'it is required, but is not an auth field, so every insert would fail',
      fix: `give it a default, or \`alter table ${quote(table)} alter column ${quote(column)} drop not null\`, or declare it in userFields or in the plugin that uses it`,
    }))
}

/** Returns whether the column can be added. Existing rows get its default, as in Better Auth's planner. */
function canBeAdded({ required, type, unique, defaultValue }: DBFieldAttribute): boolean {
  if (required === false) return true
  if (type === 'date') return typeof defaultValue === 'function'
  return unique !== true && ['string', 'number', 'boolean'].includes(typeof defaultValue)
}

type AuthFieldType = DBFieldAttribute['type']

const COLUMN_TYPES = {
  string: ['text', 'varchar', 'bpchar', 'citext', 'uuid', 'enum'],
  number: ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'],
  boolean: ['bool'],
  date: ['timestamptz', 'timestamp'],
  json: ['jsonb', 'json'],
} as const

function isTypeOf({ type }: ExistingColumn, expected: AuthFieldType): boolean {
  return (COLUMN_TYPES[familyOf(expected)] as readonly string[]).includes(type)
}

function sqlType(type: AuthFieldType): string {
  return { string: 'text', number: 'integer', boolean: 'boolean', date: 'timestamptz', json: 'jsonb' }[familyOf(type)]
}

/** Returns the family of a type: enums belong to `string`, and arrays to `json`. */
function familyOf(type: AuthFieldType): keyof typeof COLUMN_TYPES {
  if (Array.isArray(type)) return 'string'
  return type === 'string[]' || type === 'number[]' ? 'json' : type
}
