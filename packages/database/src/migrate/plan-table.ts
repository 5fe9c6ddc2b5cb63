import type { CatalogTable } from './catalog.ts'
import {
  isIndexName,
  BASE_COLUMNS,
  SQL_TYPES,
  toDefinition,
  toUniqueHash,
  VERSION_COLUMN,
  type TableColumn,
  type TableDesign,
} from './table-design.ts'
import { quoteIdent } from '../table-layout.ts'
import { planTableIndexes } from './plan-indexes.ts'
import { DISTINCT_VALUES, NEUTRAL_VALUES } from './literal.ts'
import { alterColumn, toRefusedStep, toStepIfEmpty, type MigrationStep } from './migration-step.ts'
import { changeType, type IndexedColumn } from './type-change.ts'

/** Plans the steps that migrate a table to its design; `found` is null if the table does not exist. */
export function planTable(design: TableDesign, found: CatalogTable | null): MigrationStep[] {
  if (found === null)
    return [{ what: 'the table does not exist', sql: [createTable(design)] }, ...planTableIndexes(design, null)]
  if (!isResourceTable(found)) return [refuseForeign(design.name)]
  const sources = findRenamed(design, found)
  return [...planRemoved(design, found), ...planColumns(design, found, sources), ...planTableIndexes(design, found)]
}

/**
 * Plans the steps for the columns in a design. Ignores other columns. `sources` maps new columns to their old names.
 */
export function planColumns(
  design: TableDesign,
  found: CatalogTable,
  sources: ReadonlyMap<string, string> = new Map(),
): MigrationStep[] {
  const { name: table } = design
  return design.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined) return [addColumn(table, column, sources.get(column.name))]
    return planColumn(table, column, { ...existing, indexes: findIndexes(design, column, found) })
  })
}

function findIndexes(design: TableDesign, { name: column }: TableColumn, { indexes }: CatalogTable): string[] {
  // The catalog does not list the columns of unique hash indexes.
  const hashes = design.indexes.filter(({ columns }) => columns.includes(column)).map(({ columns }) => columns)
  const names = new Set([[column], ...hashes].map((columns) => toUniqueHash(design.name, columns).name))
  return indexes
    .filter(({ name, columns }) => isIndexName(name, design.name) && (columns.includes(column) || names.has(name)))
    .map(({ name }) => name)
}

function createTable({ name, columns }: TableDesign): string {
  const definitions = [
    '"id" bigint generated always as identity primary key',
    ...columns.map(toDefinition),
    // The store sets these columns itself. The defaults are for rows that are inserted with SQL.
    `"created_at" ${SQL_TYPES.timestamp} not null default now()`,
    `"updated_at" ${SQL_TYPES.timestamp} not null default now()`,
    `"${VERSION_COLUMN}" integer not null default 1`,
  ]
  return `create table ${quoteIdent(name)} (${definitions.join(', ')})`
}

function isResourceTable({ columns }: CatalogTable): boolean {
  const isThere = (name: string, type: string): boolean => {
    const found = columns.get(name)
    return found?.type === type && !found.isNullable
  }
  const hasOwn = BASE_COLUMNS.every(({ name, type }) => isThere(name, SQL_TYPES[type]))
  return hasOwn && isThere(VERSION_COLUMN, 'integer') && columns.get('id')?.hasDefault === true
}

function refuseForeign(table: string): MigrationStep {
  return toRefusedStep({
    what: 'the table was not created for a resource',
    why: 'its column id, created_at, updated_at or version is missing or has a different type',
    sql: [`alter table ${quoteIdent(table)} rename to ${quoteIdent(`${table.slice(0, 59)}_old`)}`],
  })
}

/** Finds columns that may have been renamed: exactly one field of a type was added and one was removed. */
function findRenamed(design: TableDesign, found: CatalogTable): Map<string, string> {
  const removed = findRemoved(design, found)
  const added = design.columns.filter(({ name }) => !found.columns.has(name))
  return new Map(
    added.flatMap(({ name, type }): [string, string][] => {
      const [source, ...others] = removed.filter((column) => found.columns.get(column)?.type === SQL_TYPES[type])
      const isOnly = others.length === 0 && added.filter((column) => column.type === type).length === 1
      return source !== undefined && isOnly ? [[name, source]] : []
    }),
  )
}

/** Returns the required columns whose fields were removed. */
function findRemoved({ columns }: TableDesign, found: CatalogTable): string[] {
  const known = new Set([VERSION_COLUMN, ...[...BASE_COLUMNS, ...columns].map(({ name }) => name)])
  return [...found.columns]
    .filter(([name, { isNullable, hasDefault }]) => !known.has(name) && !isNullable && !hasDefault)
    .map(([name]) => name)
}

/** Plans the steps for columns whose fields were removed. Columns that inserts can omit are not changed. */
function planRemoved(design: TableDesign, found: CatalogTable): MigrationStep[] {
  const { name: table } = design
  return findRemoved(design, found).map((name) =>
    toStepIfEmpty(table, [`alter table ${quoteIdent(table)} drop column ${quoteIdent(name)}`], {
      what: `the field for the column ${name} was removed`,
      why: 'the column is required, so no row could be inserted',
      sql: [`${alterColumn(table, name)} drop not null`],
    }),
  )
}

function addColumn(table: string, column: TableColumn, source: string | undefined): MigrationStep {
  const add = `alter table ${quoteIdent(table)} add column`
  const sql = [`${add} ${toDefinition(column)}`]
  const what = `the field ${column.field} was added`
  if (column.isNullable || column.default !== null) return { what, sql }
  const refusal = {
    what,
    why:
      'it is required and has no default, but the table has rows' +
      (source === undefined ? '' : `; this SQL copies the values of ${source}, in case you renamed that field`),
    sql: [`${add} ${toDefinition({ ...column, isNullable: true })}`, ...fillColumn(table, column, source)],
  }
  return { what, sql, unless: `select 1 from ${quoteIdent(table)} limit 1`, refusal }
}

function planColumn(table: string, column: TableColumn, found: IndexedColumn): MigrationStep[] {
  const { field, name, type, isNullable } = column
  if (found.type !== SQL_TYPES[type]) return [refuseTypeChange(table, column, found)]
  if (isNullable === found.isNullable) return []
  if (isNullable)
    return [{ what: `the field ${field} is now optional`, sql: [`${alterColumn(table, name)} drop not null`] }]
  const refusal = {
    what: `the field ${field} is now required`,
    why: 'some rows have no value',
    sql: fillColumn(table, column),
  }
  const unless = `select 1 from ${quoteIdent(table)} where ${quoteIdent(name)} is null limit 1`
  // The column itself remains nullable, since another version of the program may still write rows without a value.
  return [{ sql: [], unless, refusal }]
}

function refuseTypeChange(table: string, column: TableColumn, found: IndexedColumn): MigrationStep {
  const { field, name, type, isNullable } = column
  const sql = changeType(table, column, found)
  const isReplaced = sql.some((statement) => statement.includes(' rename column '))
  const alter = `alter table ${quoteIdent(table)}`
  return toStepIfEmpty(
    table,
    [`${alter} drop column ${quoteIdent(name)}`, `${alter} add column ${toDefinition(column)}`],
    {
      what: `the field ${field} has a different type`,
      why: `its column ${name} is ${found.type}, but must be ${SQL_TYPES[type]}`,
      sql: isReplaced && !isNullable ? [...sql, ...fillColumn(table, column)] : sql,
    },
  )
}

function fillColumn(table: string, column: TableColumn, source?: string): string[] {
  const { name, type, isUnique, default: value } = column
  const chosen = isUnique ? DISTINCT_VALUES[type] : (value ?? NEUTRAL_VALUES[type])
  const filling = source === undefined ? chosen : quoteIdent(source)
  return [
    `update ${quoteIdent(table)} set ${quoteIdent(name)} = ${filling} where ${quoteIdent(name)} is null`,
    `${alterColumn(table, name)} set not null`,
  ]
}
