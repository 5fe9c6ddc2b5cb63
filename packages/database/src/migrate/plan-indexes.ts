import type { CatalogIndex, CatalogTable } from './catalog.ts'
import {
  isIndexName,
  MAX_KEY_OCTETS,
  sumOctets,
  toDefinition,
  toMaxOctets,
  toUniqueHash,
  type TableColumn,
  type TableDesign,
  type TableIndex,
} from './table-design.ts'
import { cut, CUT_LENGTH, quoteIdent } from '../table-layout.ts'
import { DISTINCT_VALUES } from './literal.ts'
import { alterColumn, type MigrationRefusal, type MigrationStep } from './migration-step.ts'

/** Plans the steps for the indexes in a design. `found` is null if the table is new. */
export function planTableIndexes(design: TableDesign, found: CatalogTable | null): MigrationStep[] {
  if (found === null) return design.indexes.map((index) => ({ sql: [createIndex(design, index)] }))
  return [...planMissingIndexes(design, found), ...dropOutgrown(design, found)]
}

/** Plans the steps for missing indexes only. */
export function planMissingIndexes(design: TableDesign, found: CatalogTable): MigrationStep[] {
  const names = new Set(found.indexes.map(({ name }) => name))
  const missing = design.indexes.filter(({ name }) => !names.has(name))
  return missing.flatMap((index) => planIndex(design, index, found))
}

function planIndex(design: TableDesign, index: TableIndex, found: CatalogTable): MigrationStep[] {
  const step = { sql: [createIndex(design, index)] }
  const columns = index.columns.flatMap((name) => design.columns.find((column) => column.name === name) ?? [])
  if (index.kind.startsWith('unique')) return planUnique(design, { index, columns }, found)
  if (index.kind === 'hash') return [step]
  const room = index.kind === 'cut' ? MAX_KEY_OCTETS - toMaxOctets('string', CUT_LENGTH) : MAX_KEY_OCTETS
  const whole = index.kind === 'cut' ? columns.filter(({ name }) => name !== index.columns[0]) : columns
  const texts = findTextColumns(whole, found)
  // Another version of the program may have accepted longer strings. The index is not created while they exist.
  return [texts.length === 0 ? step : { ...step, unless: findLonger(design.name, texts, room) }]
}

/**
 * Plans a unique index. If another version of the program has accepted longer strings, a unique index on MD5 hashes
 * enforces uniqueness while they exist.
 */
function planUnique(
  design: TableDesign,
  { index, columns }: { index: TableIndex; columns: readonly TableColumn[] },
  found: CatalogTable,
): MigrationStep[] {
  const step = { sql: [createIndex(design, index)] }
  const barred = refuseDuplicates(design, columns, found)
  const texts = findTextColumns(columns, found)
  if (index.kind === 'unique hash' || texts.length === 0) return [{ ...step, ...barred }]
  const room = MAX_KEY_OCTETS - sumOctets(columns.filter((column) => !texts.includes(column)))
  const long = findLonger(design.name, texts, room)
  const hash = toUniqueHash(design.name, index.columns)
  if (found.indexes.some(({ name }) => name === hash.name)) return [{ ...step, unless: long }]
  return [
    { sql: [], ...barred },
    { ...step, unless: either(long, barred.unless) },
    { sql: [createIndex(design, hash)], unless: either(`select 1 where not exists (${long})`, barred.unless) },
  ]
}

/** Creates a query that returns a row if either of two queries does. */
function either(one: string, other: string | undefined): string {
  return other === undefined ? one : `(${one}) union all (${other})`
}

function findTextColumns(columns: readonly TableColumn[], found: CatalogTable): TableColumn[] {
  return columns.filter(({ name, type }) => type === 'string' && found.columns.get(name)?.type === 'text')
}

function findLonger(table: string, texts: readonly TableColumn[], octets: number): string {
  const sum = texts.map(({ name }) => `coalesce(octet_length(${quoteIdent(name)}), 0)`).join(' + ')
  return `select 1 from ${quoteIdent(table)} where ${sum} > ${octets} limit 1`
}

function createIndex(design: TableDesign, { name, columns, kind }: TableIndex): string {
  const on = `${quoteIdent(name)} on ${quoteIdent(design.name)}`
  const keys = columns.map(quoteIdent).join(', ')
  const [first = '', ...rest] = columns
  if (kind === 'btree') return `create index ${on} (${keys})`
  if (kind === 'cut') return `create index ${on} (${[cut(quoteIdent(first)), ...rest.map(quoteIdent)].join(', ')})`
  if (kind === 'hash') return `create index ${on} using hash (${keys})`
  if (kind === 'unique') return `create unique index ${on} (${keys})`
  // A btree does not accept long strings, and a hash index cannot be unique, so the index contains MD5 hashes.
  const texts = new Set(design.columns.filter(({ type }) => type === 'string').map((column) => column.name))
  const hashes = columns.map((column) => (texts.has(column) ? `md5(${quoteIdent(column)})` : quoteIdent(column)))
  return `create unique index ${on} (${hashes.join(', ')})`
}

function refuseDuplicates(
  design: TableDesign,
  columns: readonly TableColumn[],
  found: CatalogTable,
): Pick<MigrationStep, 'unless' | 'refusal'> {
  const table = quoteIdent(design.name)
  const existing = columns.filter(({ name }) => found.columns.has(name))
  const [added, ...others] = columns.filter((column) => !existing.includes(column))
  // Rows without a value never conflict.
  if ([added, ...others].some((column) => column?.default === null)) return {}
  if (added !== undefined && existing.length === 0)
    return { unless: `select 1 from ${table} limit 1 offset 1`, refusal: refuseSameDefault(design.name, added) }
  const names = existing.map(({ name }) => quoteIdent(name))
  const areThere = names.map((name) => `${name} is not null`).join(' and ')
  const unless = `select 1 from ${table} where ${areThere} group by ${names.join(', ')} having count(*) > 1 limit 1`
  return { unless, refusal: refuseExistingDuplicates(table, columns, existing) }
}

function refuseSameDefault(table: string, column: TableColumn): MigrationRefusal {
  const name = quoteIdent(column.name)
  return {
    what: `the field ${column.field} was added`,
    why: 'it must be unique, but all existing rows would get its default',
    sql: [
      `alter table ${quoteIdent(table)} add column ${toDefinition({ ...column, isNullable: true, default: null })}`,
      `update ${quoteIdent(table)} set ${name} = ${DISTINCT_VALUES[column.type]}`,
      ...(column.isNullable ? [] : [`${alterColumn(table, column.name)} set not null`]),
    ],
  }
}

/**
 * Refuses a unique index because of duplicate rows. Rows are compared by the `existing` columns, since new columns have
 * the same value in all rows.
 */
function refuseExistingDuplicates(
  table: string,
  columns: readonly TableColumn[],
  existing: readonly TableColumn[],
): MigrationRefusal {
  const same = existing.map(({ name }) => `later.${quoteIdent(name)} = first.${quoteIdent(name)}`).join(' and ')
  const isLater = `${same} and later."id" > first."id"`
  const spared = existing.find(({ isNullable }) => isNullable)
  const fields = columns.map(({ field }) => field)
  const isOne = fields.length === 1
  return {
    what: `${isOne ? '' : 'the combination of '}${fields.join(' and ')} must now be unique`,
    why:
      `some rows have the same ${isOne ? 'value' : 'values'}; ` +
      `this SQL ${spared === undefined ? 'deletes' : `sets ${spared.field} to null in`} all but the first`,
    sql: [
      spared === undefined
        ? `delete from ${table} later using ${table} first where ${isLater}`
        : `update ${table} later set ${quoteIdent(spared.name)} = null from ${table} first where ${isLater}`,
    ],
  }
}

/**
 * Creates the steps for dropping the indexes that would reject strings too long for a btree. Without these indexes,
 * lists are slower but correct.
 */
function dropOutgrown({ name: table, columns }: TableDesign, { indexes }: CatalogTable): MigrationStep[] {
  const isLong = (index: CatalogIndex): boolean =>
    sumOctets(columns.filter(({ name }) => index.columns.includes(name))) > MAX_KEY_OCTETS
  return indexes
    .filter((index) => isIndexName(index.name, table) && index.method === 'btree' && isLong(index))
    .map(({ name }) => ({ what: 'an index rejects long strings', sql: [`drop index ${quoteIdent(name)}`] }))
}
