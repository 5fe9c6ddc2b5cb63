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
import { planLive } from './plan-live.ts'
import { alterColumn, toRefusedStep, toStepIfEmpty, type MigrationStep } from './migration-step.ts'
import { findUnknown, planRemoved } from './plan-removed.ts'
import { askRenamed, askToMap, findCopies, toTypeCopy, toTypedName } from './column-copy.ts'
import {
  addRequired,
  copyColumn,
  dropDefault,
  dropRequired,
  fillAndRequire,
  requireColumn,
  toFilling,
  type ColumnCopy,
} from './expand-contract.ts'
import { changeType, type IndexedColumn } from './type-change.ts'

/**
 * Plans the steps that migrate a table to its design; `found` is null if the table does not exist. `assigned` contains
 * fields that are not in the schema but whose columns are in use.
 */
export function planTable(
  design: TableDesign,
  found: CatalogTable | null,
  assigned: readonly string[] = [],
): MigrationStep[] {
  if (found === null)
    return [
      { what: 'the table does not exist', sql: [createTable(design)] },
      ...planTableIndexes(design, null),
      ...planLive(design, null),
    ]
  if (!isResourceTable(found)) return [refuseForeign(design.name)]
  const unknown = findUnknown(design, found, assigned)
  const copies = findCopies(design, found, unknown)
  const sources = new Set(Array.from(copies.values(), ({ from }) => from))
  return [
    ...planRemoved(design, found, { unknown, sources }),
    ...planColumns(design, found, copies),
    ...planTableIndexes(design, found),
    ...planLive(design, found),
  ]
}

/**
 * Plans the steps for the columns in a design. Ignores other columns. `copies` contains the new columns that replace
 * others.
 */
export function planColumns(
  design: TableDesign,
  found: CatalogTable,
  copies: ReadonlyMap<string, ColumnCopy> = new Map(),
): MigrationStep[] {
  const { name: table } = design
  return design.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined) return [addColumn(table, column, copies.get(column.name))]
    return planColumn(table, column, { ...existing, indexes: findIndexes(design, column, found) })
  })
}

function findIndexes(design: TableDesign, { name: column }: TableColumn, { indexes }: CatalogTable): string[] {
  // The catalog does not list the columns of unique indexes on MD5 hashes.
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
    why:
      'its id, created_at, updated_at or version column is missing or has the wrong type. If other code uses the table, ' +
      'as @sdk/auth uses user and session, pass another name to table()',
    sql: [`alter table ${quoteIdent(table)} rename to ${quoteIdent(`${table.slice(0, 59)}_old`)}`],
  })
}

function addColumn(table: string, column: TableColumn, copy: ColumnCopy | undefined): MigrationStep {
  const add = `alter table ${quoteIdent(table)} add column`
  const sql = [`${add} ${toDefinition(column)}`]
  const what = `the field ${column.field} was added`
  const question = copy === undefined || copy.isTypeChange ? {} : { question: askRenamed(table, copy) }
  // If the type has changed, the old values must be copied, even if the new column is nullable.
  if ((column.isNullable || column.default !== null) && copy?.isTypeChange !== true) return { what, sql, ...question }
  const refusal = {
    what,
    why:
      'it is required and has no default, but the table has rows' +
      (copy === undefined ? '' : `; this SQL copies the values of ${copy.from}, in case you renamed that field`),
    sql: [`${add} ${toDefinition({ ...column, isNullable: true })}`, ...fillColumn(table, column, copy)],
    steps: copy === undefined ? addRequired(table, column) : copyColumn(table, copy),
  }
  return { what, sql, unless: `select 1 from ${quoteIdent(table)} limit 1`, refusal, ...question }
}

function planColumn(table: string, column: TableColumn, found: IndexedColumn): MigrationStep[] {
  const { field, name, type, isNullable } = column
  if (found.type !== SQL_TYPES[type]) return [refuseTypeChange(table, column, found)]
  if (isNullable === found.isNullable) {
    if (isNullable || !found.hasDefault || column.default !== null) return []
    const what = `the column ${name} has a default, but its field does not`
    return [{ sql: [], cleanup: { what, steps: [dropDefault(table, column)] } }]
  }
  if (isNullable)
    return [{ what: `the field ${field} is now optional`, sql: [`${alterColumn(table, name)} drop not null`] }]
  const refusal = {
    what: `the field ${field} is now required`,
    why: 'some rows have no value',
    sql: fillColumn(table, column),
    steps: fillAndRequire(table, column),
  }
  const unless = `select 1 from ${quoteIdent(table)} where ${quoteIdent(name)} is null limit 1`
  // The column itself remains nullable, since another version of the program may still write rows without a value.
  const cleanup = { what: `the column ${name} can be made required`, steps: requireColumn(table, column) }
  return [{ sql: [], unless, refusal, cleanup }]
}

function refuseTypeChange(table: string, column: TableColumn, found: IndexedColumn): MigrationStep {
  const { field, name, type, isNullable } = column
  const sql = changeType(table, column, found)
  const isReplaced = sql.some((statement) => statement.includes(' rename column '))
  const alter = `alter table ${quoteIdent(table)}`
  const copy = toTypeCopy({ ...found, name }, { ...column, name: toTypedName(name, type) })
  const refusal = {
    what: `the field ${field} has a different type`,
    why: `its column ${name} is ${found.type}, but must be ${SQL_TYPES[type]}`,
    sql: isReplaced && !isNullable ? [...sql, ...fillColumn(table, column)] : sql,
    ...(copy !== null && {
      steps: [...(found.isNullable ? [] : [dropRequired(table, name)]), ...copyColumn(table, copy)],
    }),
  }
  const whenEmpty = [`${alter} drop column ${quoteIdent(name)}`, `${alter} add column ${toDefinition(column)}`]
  const step = toStepIfEmpty(table, whenEmpty, refusal)
  return copy === null ? step : { ...step, question: askToMap(table, copy, sql) }
}

function fillColumn(table: string, column: TableColumn, copy?: ColumnCopy): string[] {
  const name = quoteIdent(column.name)
  const filling = copy === undefined ? toFilling(column) : copy.forward(quoteIdent(copy.from))
  return [
    `update ${quoteIdent(table)} set ${name} = ${filling} where ${name} is null`,
    ...(column.isNullable ? [] : [`${alterColumn(table, column.name)} set not null`]),
  ]
}
