import type { Fields, FieldType, ResourceShape, Where } from '@sdk/server'
import type { FoundTable } from '../migrate/catalog.ts'
import {
  SQL_TYPES,
  toColumnName,
  toMaxOctets,
  toRuleIndexes,
  toUniqueIndexes,
  type TableColumn,
  type TableDesign,
} from '../migrate/table-design.ts'
import { planIndexes, planMissing } from '../migrate/plan-indexes.ts'
import {
  assertLearnable,
  assertType,
  findNeeds,
  learnColumns,
  toKnownValues,
  toKnownWhere,
  type Knowledge,
  type KnownColumn,
  type Need,
} from './known-columns.ts'
import { applyPlan, type Site } from '../migrate/migrate.ts'
import { planColumns } from '../migrate/plan-table.ts'
import { createRowStore, type RowStore } from './row-store.ts'
import type { Step } from '../migrate/migration-step.ts'

/** A table, and what is known of it by now. */
export interface TableMemory {
  readonly design: TableDesign
  readonly shape: ResourceShape
  knowledge: Knowledge
}

/** The rows of a table. Fields that no schema declares get a column when they are first met. */
export function createLearningStore(memory: TableMemory, site: Site): RowStore {
  let { knowledge } = memory
  let rows = createRowStore(knowledge.layout, site.run)

  /** Asks the rows, once all that a call speaks of has a column. */
  function meet<T>(where: Where, values: Fields, question: Ask<T>): Promise<T> {
    const needs = findNeeds(memory.knowledge, where, values)
    if (needs.length === 0) return question(current(), values)
    return learn(memory, site, needs).then((learned) => {
      memory.knowledge = learnColumns(memory.knowledge, learned)
      return question(current(), toKnownValues(memory.knowledge, values))
    })
  }
  function current(): RowStore {
    if (memory.knowledge !== knowledge) {
      knowledge = memory.knowledge
      rows = createRowStore(knowledge.layout, site.run)
    }
    return rows
  }
  const within = <T extends { where: Where }>(target: T): T => {
    const where = toKnownWhere(knowledge, target.where)
    return where === target.where ? target : { ...target, where }
  }

  return {
    list: async (query) => meet(query.where, NOTHING, (known) => known.list(within(query))),
    get: async (target) => meet(target.where, NOTHING, (known) => known.get(within(target))),
    create: async (values) => meet(EVERY_ROW, values, (known, fields) => known.create(fields)),
    replace: async (target, values) =>
      meet(target.where, values, (known, fields) => known.replace(within(target), fields)),
    delete: async (target) => meet(target.where, NOTHING, (known) => known.delete(within(target))),
  }
}

/** Sees to it that what is unique together with fields that no schema declares is so, where those have a column. */
export async function learnUnique(memory: TableMemory, site: Site): Promise<void> {
  if (findUndeclared(memory).length === 0) return
  memory.knowledge = learnColumns(memory.knowledge, await learn(memory, site, []))
}

function findUndeclared({ shape }: TableMemory): string[] {
  const declared = new Set(shape.fields.map(({ name }) => name))
  return [...new Set(shape.unique.flat())].filter((field) => !declared.has(field))
}

/** Asks what is known now, with the values that can be kept. */
type Ask<T> = (rows: RowStore, values: Fields) => Promise<T>

const NOTHING: Fields = {}
const EVERY_ROW: Where = {}

/** Makes the columns that are needed, where they are not there; gives all that there are then. */
async function learn(memory: TableMemory, site: Site, wanted: readonly Need[]): Promise<KnownColumn[]> {
  // An index for what is unique may want columns that were made before.
  const others = findUndeclared(memory).filter((field) => !wanted.some((need) => need.field === field))
  const needs = [...wanted, ...others.map((field) => ({ field, type: null, isAsked: false }))]
  for (const { field } of needs) assertLearnable(memory.knowledge, field)
  let learned: KnownColumn[] = []
  await applyPlan(site, memory.design.name, (found) => {
    if (found === null)
      throw new Error(`The table ${memory.design.name} is gone: was it dropped while this program ran?`)
    const columns = needs.flatMap((need) => toNeededColumn(need, found) ?? [])
    learned = columns.map((column) => ({
      ...column,
      isRead: false,
      isLearned: true,
      isCut: column.type === 'string',
      isIndexed:
        needs.some(({ field, isAsked }) => field === column.field && isAsked) || isIndexed(memory, column.field),
    }))
    return planNeeded(memory, learned as (KnownColumn & TableColumn)[], found)
  })
  return learned
}

function isIndexed({ knowledge }: TableMemory, field: string): boolean {
  return knowledge.columns.get(field)?.isIndexed === true
}

function planNeeded(
  { design, shape }: TableMemory,
  needed: readonly (TableColumn & KnownColumn)[],
  found: FoundTable,
): Step[] {
  const { name } = design
  const columns = [...design.columns, ...needed]
  const made = new Set(design.indexes.map((index) => index.name))
  const unique = toUniqueIndexes(name, columns, shape).filter((index) => !made.has(index.name))
  const indexes = needed.filter((column) => column.isIndexed).flatMap((column) => toRuleIndexes(design, column, shape))
  const indexing = planIndexes({ name, columns, indexes }, found)
  return [
    ...planColumns({ name, columns: needed, indexes: unique }, found),
    ...planMissing({ name, columns, indexes: unique }, found),
    // Without them lists are slower, but right: this program may not be allowed to make any.
    ...indexing.map((step) => ({ ...step, isOptional: true })),
  ]
}

/** A column for what is needed, of the type that it has already; null where nothing tells its type. */
function toNeededColumn({ field, type: wanted }: Need, found: FoundTable): TableColumn | null {
  const name = toColumnName(field)
  const known = found.columns.get(name)
  const kept = known === undefined ? wanted : typeOfColumn(known.type)
  if (kept === null) {
    if (known === undefined) return null
    throw new TypeError(`${field} would be kept in the column ${name}, which is ${known.type}`)
  }
  const type = kept === 'integer' && wanted === 'number' ? wanted : kept
  const column = {
    field,
    name,
    type,
    isNullable: known?.isNullable ?? true,
    default: null,
    maxOctets: toMaxOctets(type),
    isUnique: false,
  }
  assertType(column, wanted)
  return column
}

function typeOfColumn(sqlType: string): FieldType | null {
  const types = Object.entries(SQL_TYPES) as [FieldType, string][]
  return types.find(([type, known]) => known === sqlType && type !== 'json')?.[0] ?? null
}
