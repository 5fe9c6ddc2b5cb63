import type { FieldType, PlannedChange } from '@sdk/server'
import { quoteIdent } from '../table-layout.ts'
import type { CatalogColumn, CatalogTable } from './catalog.ts'
import { addRequired, type ColumnCopy } from './expand-contract.ts'
import { SQL_TYPES, toFieldType, toShortName, type TableColumn, type TableDesign } from './table-design.ts'
import { toCast } from './type-change.ts'

/**
 * Finds the new columns that replace existing columns without a field. Returns the copies, keyed by new column name.
 */
export function findCopies(
  design: TableDesign,
  found: CatalogTable,
  unknown: readonly string[],
): Map<string, ColumnCopy> {
  const renamed = findRenamed(design, found, unknown)
  const added = design.columns.filter(({ name }) => !found.columns.has(name))
  const copies = added.map((to): ColumnCopy | null => {
    const old = unknown.find((name) => toTypedName(name, to.type) === to.name)
    const existing = old === undefined ? undefined : found.columns.get(old)
    if (old !== undefined && existing !== undefined) return toTypeCopy({ ...existing, name: old }, to)
    const from = renamed.get(to.name)
    const keep = (value: string): string => value
    return from === undefined ? null : { from, to, isTypeChange: false, forward: keep, backward: keep }
  })
  return new Map(copies.flatMap((copy) => (copy === null ? [] : [[copy.to.name, copy]])))
}

/** Describes how to copy values to a column of another type. Returns null if they cannot be converted both ways. */
export function toTypeCopy(from: CatalogColumn & { name: string }, to: TableColumn): ColumnCopy | null {
  const old = toFieldType(from.type)
  if (old === null) return null
  const forward = (value: string): string | null => toCast(value, from.type, to.type)
  const backward = (value: string): string | null => toCast(value, SQL_TYPES[to.type], old)
  if (forward('') === null || backward('') === null) return null
  const convert = (cast: typeof forward) => (value: string) => cast(value) ?? value
  return { from: from.name, to, isTypeChange: true, forward: convert(forward), backward: convert(backward) }
}

/** Returns the name of the second column for a field whose type has changed. */
export function toTypedName(name: string, type: FieldType): string {
  return toShortName(`${name}_${type}`)
}

type Question = NonNullable<PlannedChange['question']>

/** Creates a question that asks whether a field was renamed, which a migration cannot detect. */
export function askRenamed(table: string, { from, to, forward }: ColumnCopy): Question {
  const [on, old, fresh] = [quoteIdent(table), quoteIdent(from), quoteIdent(to.name)]
  const isUnset = to.default === null ? 'is null' : `= ${to.default}`
  return {
    text: `was ${from} renamed to ${to.field}? Alternatives:`,
    alternative: [
      `keep the column: table('${table}', { columns: { ${to.field}: '${from}' } })`,
      `after the old version has stopped: alter table ${on} rename column ${old} to ${fresh};`,
      // A column that can be added without the old values does not receive them.
      to.isNullable || to.default !== null
        ? `copy the values: update ${on} set ${fresh} = ${forward(old)} where ${fresh} ${isUnset};`
        : `if ${to.field} is new: ${addRequired(table, to)[0]?.sql};`,
    ],
  }
}

/**
 * Creates a question that suggests mapping a field to a second column, since the old version still uses the old column.
 */
export function askToMap(table: string, { to }: ColumnCopy, plain: readonly string[]): Question {
  return {
    text: `while the old version is running, the field needs a second column; map the field to it in the new version:`,
    alternative: [
      `table('${table}', { columns: { ${to.field}: '${to.name}' } })`,
      `or, after the old version has stopped: ${plain.join('; ')};`,
    ],
  }
}

/**
 * Finds the columns that may have been renamed: of their type, exactly one field was added and exactly one was removed.
 */
function findRenamed(design: TableDesign, found: CatalogTable, removed: readonly string[]): Map<string, string> {
  const added = design.columns.filter(({ name }) => !found.columns.has(name))
  const isLike = (name: string, { type, isNullable }: TableColumn): boolean =>
    found.columns.get(name)?.type === SQL_TYPES[type] && found.columns.get(name)?.isNullable === isNullable
  return new Map(
    added.flatMap((column): [string, string][] => {
      const [source, ...others] = removed.filter((name) => isLike(name, column))
      const rivals = added.filter(({ type, isNullable }) => type === column.type && isNullable === column.isNullable)
      return source !== undefined && others.length === 0 && rivals.length === 1 ? [[column.name, source]] : []
    }),
  )
}
