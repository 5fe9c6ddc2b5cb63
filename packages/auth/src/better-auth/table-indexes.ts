import type { Queryable } from '@sdk/database'
import type { FoundTable } from './existing-tables.ts'
import { type NeededTable, quote, type Refusal } from './table-refusals.ts'

/** What must be done so that fields are indexed whose columns are there already: the library sees to the others. */
export interface IndexPlan {
  readonly statements: readonly string[]
  /** The unique ones that rows stand in the way of. */
  refusals(database: Queryable): Promise<Refusal[]>
}

interface MissingIndex {
  readonly table: string
  readonly column: string
  readonly isUnique: boolean
}

/** Compares fields with the indexes that are there. */
export function planIndexes(needed: readonly NeededTable[], found: ReadonlyMap<string, FoundTable>): IndexPlan {
  const missing = needed.flatMap((table) => findMissing(table, found.get(table.name)))
  return {
    statements: missing.map(toStatement),
    async refusals(database) {
      const refusals: Refusal[] = []
      for (const index of missing) {
        if (index.isUnique && (await hasTwins(database, index))) refusals.push(refuse(index))
      }
      return refusals
    },
  }
}

function findMissing({ name: table, fields }: NeededTable, found: FoundTable | undefined): MissingIndex[] {
  if (found?.kind !== 'table') return []
  return Object.entries(fields)
    .filter(([column, { unique, index }]) => {
      if (found.columns[column] === undefined) return false
      return unique === true ? !hasUnique(found, column) : index === true && !hasAny(found, column)
    })
    .map(([column, { unique }]) => ({ table, column, isUnique: unique === true }))
}

function hasUnique({ indexes }: FoundTable, column: string): boolean {
  return indexes.some(({ isUnique, columns }) => isUnique && columns.length === 1 && columns[0] === column)
}

function hasAny({ indexes }: FoundTable, column: string): boolean {
  return indexes.some(({ columns }) => columns[0] === column)
}

function toStatement({ table, column, isUnique }: MissingIndex): string {
  const name = quote(`${table}_${column}_${isUnique ? 'key' : 'idx'}`)
  return `create ${isUnique ? 'unique ' : ''}index ${name} on ${quote(table)} (${quote(column)})`
}

async function hasTwins(database: Queryable, { table, column }: MissingIndex): Promise<boolean> {
  const part = quote(column)
  const twins = `select 1 from ${quote(table)} where ${part} is not null group by ${part} having count(*) > 1 limit 1`
  return (await database.query(twins)).length > 0
}

function refuse({ table, column }: MissingIndex): Refusal {
  return {
    table,
    column,
    why: 'it must be unique, and several rows have the same value',
    fix: `delete or change the rows that share a value: select ${quote(column)}, count(*) from ${quote(table)} group by 1 having count(*) > 1`,
  }
}
