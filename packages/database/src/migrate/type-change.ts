import type { FieldType } from '@sdk/server'
import type { CatalogColumn } from './catalog.ts'
import { SQL_TYPES, toDefinition, toColumnType, type TableColumn } from './table-design.ts'
import { quoteIdent } from '../table-layout.ts'
import { alterColumn } from './migration-step.ts'

/** An existing column, and the names of the indexes that were created for it. */
export interface IndexedColumn extends CatalogColumn {
  readonly indexes: readonly string[]
}

/**
 * Returns the SQL that changes a column's type. If there is no conversion, the old values are kept in another column.
 */
export function changeType(table: string, column: TableColumn, found: IndexedColumn): string[] {
  const { name, type, default: value } = column
  const cast = toCast(quoteIdent(name), found.type, type)
  // The indexes might not support the new type. They are created again at the next start.
  const drops = found.indexes.map((index) => `drop index ${quoteIdent(index)}`)
  if (cast === null) return [...drops, ...replaceColumn(table, column, found)]
  return [
    ...drops,
    // The default might not be valid for the new type.
    ...(found.hasDefault ? [`${alterColumn(table, name)} drop default`] : []),
    `${alterColumn(table, name)} type ${toColumnType(type)} using ${cast}`,
    ...(value === null ? [] : [`${alterColumn(table, name)} set default ${value}`]),
  ]
}

function replaceColumn(table: string, column: TableColumn, found: CatalogColumn): string[] {
  const old = `${column.name.slice(0, 59)}_old`
  return [
    `alter table ${quoteIdent(table)} rename column ${quoteIdent(column.name)} to ${quoteIdent(old)}`,
    ...(found.isNullable ? [] : [`${alterColumn(table, old)} drop not null`]),
    `alter table ${quoteIdent(table)} add column ${toDefinition({ ...column, isNullable: true })}`,
  ]
}

/** Returns the SQL that converts values from one type to another, or null if there is no conversion. */
export function toCast(column: string, from: string, to: FieldType): string | null {
  const kind = typeFamilyOf(from)
  if (to === 'json') return `to_jsonb(${column})`
  if (kind === 'json') return `(${column} #>> '{}')::${SQL_TYPES[to]}`
  if (kind === 'text' || to === 'string') return `${column}::text::${SQL_TYPES[to]}`
  if (kind === 'number')
    return to === 'boolean' ? `${column} <> 0` : isNumeric(to) ? `${column}::${SQL_TYPES[to]}` : null
  if (kind === 'boolean') return isNumeric(to) ? `${column}::int` : null
  if (kind === 'time' && to === 'timestamp') return `${column}::timestamp at time zone 'UTC'`
  return kind === 'time' && to === 'date' ? `(${column} at time zone 'UTC')::date` : null
}

function isNumeric(type: FieldType): boolean {
  return type === 'integer' || type === 'number'
}

function typeFamilyOf(type: string): 'text' | 'number' | 'boolean' | 'time' | 'json' | 'other' {
  if (/^(text|character|uuid)/.test(type)) return 'text'
  if (/^(bigint|integer|smallint|numeric|real|double)/.test(type)) return 'number'
  if (/^(date|timestamp)/.test(type)) return 'time'
  return type === 'boolean' ? 'boolean' : type === 'jsonb' ? 'json' : 'other'
}
