import { quoteIdent } from '../table-layout.ts'
import type { CatalogTable } from './catalog.ts'
import { copyTrigger, dropColumn, dropCopy, dropRequired } from './expand-contract.ts'
import { toStepIfEmpty, type MigrationStep } from './migration-step.ts'
import { BASE_COLUMNS, toColumnName, VERSION_COLUMN, type TableDesign } from './table-design.ts'

/**
 * Plans the steps for columns whose fields were removed. Columns that inserts can omit are not changed. The columns in
 * `sources` are dropped only after they have been copied.
 */
export function planRemoved(
  design: TableDesign,
  found: CatalogTable,
  { unknown, sources }: { unknown: readonly string[]; sources: ReadonlySet<string> },
): MigrationStep[] {
  return unknown.map((name) =>
    isRequired(found, name) ? refuseRemoved(design.name, name, sources.has(name)) : planUnused(design, name, found),
  )
}

/** Returns the columns without a field, except columns that `assign` and access rules use. */
export function findUnknown(
  { name: table, columns }: TableDesign,
  { columns: all, indexes }: CatalogTable,
  assigned: readonly string[],
): string[] {
  const known = new Set([
    VERSION_COLUMN,
    ...assigned.map(toColumnName),
    ...[...BASE_COLUMNS, ...columns].map(({ name }) => name),
  ])
  const isOfRule = (name: string): boolean =>
    indexes.some((index) => index.name.startsWith(`${table}.${name},`) && index.name.endsWith(' cut'))
  return [...all.keys()].filter((name) => !known.has(name) && !isOfRule(name))
}

function isRequired({ columns }: CatalogTable, name: string): boolean {
  const column = columns.get(name)
  return column?.isNullable === false && !column.hasDefault
}

function refuseRemoved(table: string, name: string, isCopied: boolean): MigrationStep {
  const optional = dropRequired(table, name)
  return toStepIfEmpty(table, [`alter table ${quoteIdent(table)} drop column ${quoteIdent(name)}`], {
    what: `the field for the column ${name} was removed`,
    why: 'the column is required, so no row could be inserted',
    sql: [optional.sql],
    steps: isCopied ? [optional] : [optional, dropColumn(table, name)],
  })
}

function planUnused({ name: table, columns }: TableDesign, name: string, { triggers }: CatalogTable): MigrationStep {
  const copies = columns.filter((column) =>
    triggers.some((found) => quoteIdent(found) === copyTrigger(table, name, column.name)),
  )
  const steps = [...copies.flatMap((column) => dropCopy(table, name, column.name)), dropColumn(table, name)]
  return { sql: [], cleanup: { what: `the column ${name} is not in the schema: keep it if assign sets it`, steps } }
}
