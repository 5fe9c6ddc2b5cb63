import type { FoundTable } from './catalog.ts'
import {
  isIndexName,
  isShort,
  MAX_KEY_OCTETS,
  toDefinition,
  toMaxOctets,
  toUniqueHash,
  type TableColumn,
  type TableDesign,
  type TableIndex,
} from './columns.ts'
import { cut, CUT_LENGTH, quote } from './layout.ts'
import { DISTINCT } from './literal.ts'
import { alter, type Refusal, type Step } from './step.ts'

/** What must be done for the indexes of a design; `found` is null where the table is new. */
export function planIndexes(design: TableDesign, found: FoundTable | null): Step[] {
  if (found === null) return design.indexes.map((index) => ({ sql: [createIndex(design, index)] }))
  const names = new Set(found.indexes.map(({ name }) => name))
  const missing = design.indexes.filter(({ name }) => !names.has(name))
  return [...missing.flatMap((index) => planIndex(design, index, found)), ...dropOutgrown(design, found)]
}

function planIndex(design: TableDesign, index: TableIndex, found: FoundTable): Step[] {
  const step = { sql: [createIndex(design, index)] }
  const columns = design.columns.filter(({ name }) => index.columns.includes(name))
  const [column] = columns
  if (index.kind === 'unique' && column?.type === 'string' && found.columns.get(column.name)?.type === 'text')
    return planUniqueText(design, { index, column }, found)
  if (index.kind.startsWith('unique') && column !== undefined)
    return [{ ...step, ...refuseDuplicates(design, column, found) }]
  if (index.kind === 'hash') return [step]
  const room = index.kind === 'cut' ? MAX_KEY_OCTETS - toMaxOctets('string', CUT_LENGTH) : MAX_KEY_OCTETS
  const whole = index.kind === 'cut' ? columns.filter(({ name }) => name !== index.columns[0]) : columns
  const texts = whole.filter(({ name, type }) => type === 'string' && found.columns.get(name)?.type === 'text')
  // Another version of the program let longer texts in. It goes without an index as long as they are there.
  return [texts.length === 0 ? step : { ...step, unless: findLonger(design.name, texts, room) }]
}

/** Long texts that another version of the program let in are unique by the other index, as long as they are there. */
function planUniqueText(
  design: TableDesign,
  { index, column }: { index: TableIndex; column: TableColumn },
  found: FoundTable,
): Step[] {
  const long = findLonger(design.name, [column], MAX_KEY_OCTETS)
  const step = { sql: [createIndex(design, index)], unless: long }
  const hash = toUniqueHash(design.name, column.name)
  if (found.indexes.some(({ name }) => name === hash.name)) return [step]
  return [
    { sql: [], ...refuseDuplicates(design, column, found) },
    step,
    { sql: [createIndex(design, hash)], unless: `select 1 where not exists (${long})` },
  ]
}

function findLonger(table: string, texts: readonly TableColumn[], octets: number): string {
  const sum = texts.map(({ name }) => `coalesce(octet_length(${quote(name)}), 0)`).join(' + ')
  return `select 1 from ${quote(table)} where ${sum} > ${octets} limit 1`
}

function createIndex(design: TableDesign, { name, columns, kind }: TableIndex): string {
  const on = `${quote(name)} on ${quote(design.name)}`
  const keys = columns.map(quote).join(', ')
  const [first = '', ...rest] = columns
  if (kind === 'btree') return `create index ${on} (${keys})`
  if (kind === 'cut') return `create index ${on} (${[cut(quote(first)), ...rest.map(quote)].join(', ')})`
  if (kind === 'hash') return `create index ${on} using hash (${keys})`
  // No btree takes long texts, and no hash index is unique.
  return `create unique index ${on} (${kind === 'unique' ? keys : `md5(${keys})`})`
}

function refuseDuplicates(
  design: TableDesign,
  column: TableColumn,
  found: FoundTable,
): Pick<Step, 'unless' | 'refusal'> {
  const table = quote(design.name)
  const name = quote(column.name)
  if (found.columns.has(column.name)) {
    const unless = `select 1 from ${table} where ${name} is not null group by ${name} having count(*) > 1 limit 1`
    return { unless, refusal: duplicates(table, column) }
  }
  if (column.default === null) return {}
  const refusal = {
    what: `the field ${column.field} was added`,
    why: 'no two rows may have one value of it, but all that are there would get its default',
    sql: [
      `alter table ${table} add column ${toDefinition({ ...column, isNullable: true, default: null })}`,
      `update ${table} set ${name} = ${DISTINCT[column.type]}`,
      ...(column.isNullable ? [] : [`${alter(design.name, column.name)} set not null`]),
    ],
  }
  return { unless: `select 1 from ${table} limit 1 offset 1`, refusal }
}

function duplicates(table: string, { field, name, isNullable }: TableColumn): Refusal {
  const isLater = `later.${quote(name)} = first.${quote(name)} and later."id" > first."id"`
  return {
    what: `no two rows may have one value of ${field} now`,
    why: `some have; this SQL ${isNullable ? 'takes it from' : 'deletes'} all of them but the first`,
    sql: [
      isNullable
        ? `update ${table} later set ${quote(name)} = null from ${table} first where ${isLater}`
        : `delete from ${table} later using ${table} first where ${isLater}`,
    ],
  }
}

/** An index of ours refuses texts that became longer than a btree takes: without it lists are slower, but right. */
function dropOutgrown({ name: table, columns }: TableDesign, { indexes }: FoundTable): Step[] {
  const long = new Set(columns.filter((column) => !isShort(column)).map(({ name }) => name))
  return indexes
    .filter(({ name, method }) => isIndexName(name, table) && method === 'btree')
    .filter((index) => index.columns.some((column) => long.has(column)))
    .map(({ name }) => ({ sql: [`drop index ${quote(name)}`] }))
}
