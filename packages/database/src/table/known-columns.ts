import type { FieldType, Fields, Where } from '@sdk/server'
import type { CatalogTable } from '../migrate/catalog.ts'
import {
  BASE_COLUMNS,
  SQL_TYPES,
  SYSTEM_COLUMNS,
  toColumnName,
  VERSION_COLUMN,
  type TableDesign,
} from '../migrate/table-design.ts'
import { isScalarList } from './conditions.ts'
import { quoteIdent, type LayoutColumn, type Layout } from '../table-layout.ts'

/** The columns of a table that are known to this process. */
export interface KnownColumns {
  readonly layout: Layout
  readonly columns: ReadonlyMap<string, KnownColumn>
}

/** A column that statements can use. */
export interface KnownColumn extends LayoutColumn {
  /** Whether the field is not declared in any schema and is used only by `assign` or an access rule. */
  readonly isUndeclared: boolean
  /** Whether the column has the indexes that lists need when an access rule filters by it. */
  readonly isIndexed: boolean
}

/** A column that a call needs for a field that no schema declares. */
export interface MissingColumn {
  readonly field: string
  /** The type of the value, or null if the value was null. */
  readonly type: FieldType | null
  /** Whether an access rule filters by the field. */
  readonly isFiltered: boolean
}

/** The types of fields that only `assign` and `access` use. */
export type AssignedFields = Readonly<Record<string, Exclude<FieldType, 'json'>>>

/** Throws a `TypeError` if assigned fields cannot have their own columns. */
export function assertAssigned(design: TableDesign, assigned: AssignedFields): void {
  const known = toKnownColumns(design, null)
  for (const [field, type] of Object.entries(assigned)) {
    if (known.columns.has(field))
      throw new TypeError(`table ${design.name}: assigned contains ${field}, which is a field in the schema: remove it`)
    assertCanAddColumn(known, field)
    if (!Object.hasOwn(SQL_TYPES, type) || SQL_TYPES[type] === SQL_TYPES.json)
      throw new TypeError(
        `table ${design.name}: the type of ${field} must be string, integer, number, boolean, timestamp or date, got ${JSON.stringify(type)}`,
      )
  }
}

/**
 * Returns the columns in a design. `found` is the table as it was before the migration, or null if the table is new.
 */
export function toKnownColumns({ name, columns }: TableDesign, found: CatalogTable | null): KnownColumns {
  const known = [...BASE_COLUMNS, ...columns].map((column) => {
    // Another version of the program may have inserted rows without a value. Pagination must not skip them.
    const isNullable = column.isNullable === true || found?.columns.get(column.name)?.isNullable === true
    return { ...column, isNullable, isUndeclared: false, isIndexed: true }
  })
  return fromColumns(quoteIdent(name), known)
}

/** Adds columns, and replaces existing columns for the same fields. */
export function extendKnownColumns({ layout, columns }: KnownColumns, added: readonly KnownColumn[]): KnownColumns {
  return fromColumns(layout.table, [
    ...new Map([...columns, ...added.map((column) => [column.field, column] as const)]).values(),
  ])
}

/**
 * Finds the columns that a call needs but this process does not know. Throws a `TypeError` if the type of a value does
 * not match its column.
 */
export function findMissingColumns({ columns }: KnownColumns, where: Where, values: Fields): MissingColumn[] {
  const missing: MissingColumn[] = []
  for (const [field, value] of Object.entries(where)) {
    const column = columns.get(field)
    const type = inferRuleType(field, value)
    if (column === undefined ? type !== undefined : !column.isIndexed)
      missing.push({ field, type: type ?? null, isFiltered: true })
    else if (column !== undefined && type !== undefined) assertColumnType(column, type)
  }
  for (const [field, value] of Object.entries(values)) {
    const column = columns.get(field)
    if (value === undefined || column?.isUndeclared === false) continue
    if (value === null) {
      // Another process may have created the column.
      if (column === undefined) missing.push({ field, type: null, isFiltered: false })
      continue
    }
    const type = inferFieldType(field, value)
    if (column === undefined) missing.push({ field, type, isFiltered: false })
    else assertColumnType(column, type)
  }
  return missing
}

/**
 * Returns a condition with only known columns. A rule with an empty list for an unknown column matches no rows, so it
 * becomes an empty list of ids.
 */
export function toKnownWhere({ columns }: KnownColumns, where: Where): Where {
  for (const field in where) if (!columns.has(field) && Array.isArray(where[field])) return { id: [] }
  return where
}

/** Omits null values for columns that do not exist, since the value is null in every row anyway. */
export function toKnownValues({ columns }: KnownColumns, values: Fields): Fields {
  return Object.fromEntries(Object.entries(values).filter(([field, value]) => value !== null || columns.has(field)))
}

/** Throws a `TypeError` if values of a type cannot be stored in a column. */
export function assertColumnType({ field, name, type: stored }: LayoutColumn, type: FieldType | null): void {
  const isText = stored === 'string' || stored === 'timestamp' || stored === 'date'
  const fits =
    type === null || type === stored || (type === 'string' && isText) || (type === 'integer' && stored === 'number')
  const fix = stored === 'integer' && type === 'number' ? ': to store fractions, change it to double precision' : ''
  if (!fits) throw new TypeError(`${field} must be of type ${stored} (column ${name}), got ${type}${fix}`)
}

/** Throws a `TypeError` if a field cannot have its own column. */
export function assertCanAddColumn({ columns, layout }: KnownColumns, field: string): void {
  if (!/^[a-z][a-zA-Z0-9]{0,62}$/.test(field))
    throw new TypeError(
      `${layout.table}: an assigned field must be in camelCase, such as ownerId, got ${JSON.stringify(field)}`,
    )
  const name = toColumnName(field)
  if (SYSTEM_COLUMNS.has(name))
    throw new TypeError(
      `${layout.table}: ${field} cannot be stored in ${name}, which is a PostgreSQL system column: rename the field`,
    )
  const other = [...columns.values()].find((column) => column.name === name && column.field !== field)
  const owner = name === VERSION_COLUMN ? 'the version of a row' : other?.field
  if (owner !== undefined)
    throw new TypeError(
      `${layout.table}: ${field} cannot be stored in ${name}, which is already used for ${owner}: rename the field`,
    )
}

function fromColumns(table: string, columns: readonly KnownColumn[]): KnownColumns {
  return {
    layout: { table, columns, version: VERSION_COLUMN, sendsStrings: true, toUnknownName: toColumnName },
    columns: new Map(columns.map((column) => [column.field, column])),
  }
}

/** Returns the type of a rule's values, null if the value is null, or undefined if the list of values is empty. */
function inferRuleType(field: string, value: Where[string]): FieldType | null | undefined {
  if (value === null) return null
  if (!isScalarList(value)) return inferFieldType(field, value)
  const types = new Set(value.map((one) => inferFieldType(field, one)))
  if (types.has('number')) types.delete('integer')
  if (types.size > 1) throw new TypeError(`the values of a rule for ${field} must all have the same type`)
  return [...types][0]
}

function inferFieldType(field: string, value: unknown): FieldType {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (Number.isFinite(value)) return Number.isSafeInteger(value) ? 'integer' : 'number'
  throw new TypeError(`${field} in assign or access must be a string, number or boolean, got ${typeof value}`)
}
