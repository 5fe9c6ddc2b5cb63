import { type Queryable, quoteIdent as quote } from '@sdk/database'
import type { ExistingTable } from './existing-tables.ts'
import { type NeededTable, type TableRefusal } from './table-refusals.ts'

interface MissingIndex {
  readonly table: string
  readonly column: string
  readonly isUnique: boolean
}

/**
 * Plans the missing indexes on existing columns; Better Auth creates all others. `refusals` returns a refusal for each
 * unique index that cannot be created because of duplicate values.
 */
export function planAuthIndexes(
  needed: readonly NeededTable[],
  found: ReadonlyMap<string, ExistingTable>,
): { statements: readonly string[]; refusals(database: Queryable): Promise<TableRefusal[]> } {
  const missing = needed.flatMap((table) => findMissingIndexes(table, found.get(table.name)))
  return {
    statements: missing.map(toIndexStatement),
    async refusals(database) {
      const refusals: TableRefusal[] = []
      for (const index of missing) {
        if (index.isUnique && (await hasDuplicates(database, index))) refusals.push(toDuplicateRefusal(index))
      }
      return refusals
    },
  }
}

function findMissingIndexes({ name: table, fields }: NeededTable, found: ExistingTable | undefined): MissingIndex[] {
  if (found?.kind !== 'table') return []
  return Object.entries(fields)
    .filter(([column, { unique, index }]) => {
      if (found.columns[column] === undefined || (unique !== true && index !== true)) return false
      const own = found.indexes.filter(({ columns }) => columns[0] === column)
      return !own.some(({ isUnique, columns }) => unique !== true || (isUnique && columns.length === 1))
    })
    .map(([column, { unique }]) => ({ table, column, isUnique: unique === true }))
}

function toIndexStatement({ table, column, isUnique }: MissingIndex): string {
  const name = quote(`${table}_${column}_${isUnique ? 'key' : 'idx'}`)
  return `create ${isUnique ? 'unique ' : ''}index ${name} on ${quote(table)} (${quote(column)})`
}

async function hasDuplicates(database: Queryable, { table, column }: MissingIndex): Promise<boolean> {
  const part = quote(column)
  const twins = `select 1 from ${quote(table)} where ${part} is not null group by ${part} having count(*) > 1 limit 1`
  return (await database.query(twins)).length > 0
}

function toDuplicateRefusal({ table, column }: MissingIndex): TableRefusal {
  return {
    table,
    column,
    why: 'it must be unique, but several rows have the same value',
    fix: `delete or change the rows that share a value: select ${quote(column)}, count(*) from ${quote(table)} group by 1 having count(*) > 1`,
  }
}
