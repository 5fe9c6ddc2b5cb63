import type { FieldType } from '@sdk/server'
import type { FoundColumn } from './catalog.ts'
import { SQL_TYPES, toDefinition, toSqlType, type TableColumn } from './table-design.ts'
import { quote } from '../table-layout.ts'
import { alter } from './migration-step.ts'

/** A column as it is, and the names of the indexes that were made for it. */
export interface IndexedColumn extends FoundColumn {
  readonly indexes: readonly string[]
}

/** SQL that gives a column another type. Where values of the old one say nothing in the new, they are kept beside. */
export function changeType(table: string, column: TableColumn, found: IndexedColumn): string[] {
  const { name, type, default: value } = column
  const cast = toCast(quote(name), found.type, type)
  // They may not work with the new type, and are made again at the next start.
  const drops = found.indexes.map((index) => `drop index ${quote(index)}`)
  if (cast === null) return [...drops, ...replaceColumn(table, column, found)]
  return [
    ...drops,
    // The default may not be a value of the new type.
    ...(found.hasDefault ? [`${alter(table, name)} drop default`] : []),
    `${alter(table, name)} type ${toSqlType(type)} using ${cast}`,
    ...(value === null ? [] : [`${alter(table, name)} set default ${value}`]),
  ]
}

function replaceColumn(table: string, column: TableColumn, found: FoundColumn): string[] {
  const old = `${column.name.slice(0, 59)}_old`
  return [
    `alter table ${quote(table)} rename column ${quote(column.name)} to ${quote(old)}`,
    ...(found.isNullable ? [] : [`${alter(table, old)} drop not null`]),
    `alter table ${quote(table)} add column ${toDefinition({ ...column, isNullable: true })}`,
  ]
}

/** SQL that makes values of one type into those of another; null: that makes no sense. */
function toCast(column: string, from: string, to: FieldType): string | null {
  const kind = kindOf(from)
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

function kindOf(type: string): 'text' | 'number' | 'boolean' | 'time' | 'json' | 'other' {
  if (/^(text|character|uuid)/.test(type)) return 'text'
  if (/^(bigint|integer|smallint|numeric|real|double)/.test(type)) return 'number'
  if (/^(date|timestamp)/.test(type)) return 'time'
  return type === 'boolean' ? 'boolean' : type === 'jsonb' ? 'json' : 'other'
}
