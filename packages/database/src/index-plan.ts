import type { FoundTable } from './catalog.ts'
import { isIndexName, toDefinition, type TableColumn, type TableDesign, type TableIndex } from './columns.ts'
import { quote } from './layout.ts'
import { DISTINCT } from './literal.ts'
import { alter, type Refusal, type Step } from './step.ts'

/** What must be done for the indexes of a design; `found` is null where the table is new. */
export function planIndexes(design: TableDesign, found: FoundTable | null): Step[] {
  if (found === null) return design.indexes.map((index) => ({ sql: [createIndex(design, index)] }))
  const names = new Set(found.indexes.map(({ name }) => name))
  const missing = design.indexes.filter(({ name }) => !names.has(name))
  return [...missing.map((index) => planIndex(design, index, found)), ...dropOutgrown(design, found)]
}

function planIndex(design: TableDesign, index: TableIndex, found: FoundTable): Step {
  const sql = [createIndex(design, index)]
  const columns = design.columns.filter(({ name }) => index.columns.includes(name))
  const [column] = columns
  if (index.kind.startsWith('unique') && column !== undefined)
    return { sql, ...refuseDuplicates(design, column, found) }
  const texts = columns.filter(({ name, type }) => type === 'string' && found.columns.get(name)?.type === 'text')
  if (index.kind === 'hash' || texts.length === 0) return { sql }
  // Another version of the program let longer texts in. It goes without an index as long as they are there.
  const isLong = texts.map(({ name }) => `octet_length(${quote(name)}) > 2400`).join(' or ')
  return { sql, unless: `select 1 from ${quote(design.name)} where ${isLong} limit 1` }
}

function createIndex(design: TableDesign, { name, columns, kind }: TableIndex): string {
  const on = `${quote(name)} on ${quote(design.name)}`
  const keys = columns.map(quote).join(', ')
  if (kind === 'btree') return `create index ${on} (${keys})`
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
  const long = new Set(columns.filter(({ isShort }) => !isShort).map(({ name }) => name))
  return indexes
    .filter(({ name, method }) => isIndexName(name, table) && method === 'btree')
    .filter((index) => index.columns.some((column) => long.has(column)))
    .map(({ name }) => ({ sql: [`drop index ${quote(name)}`] }))
}
