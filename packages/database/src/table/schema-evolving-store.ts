import type { Fields, FieldType, ResourceShape, Where } from '@sdk/server'
import type { CatalogTable } from '../migrate/catalog.ts'
import {
  SQL_TYPES,
  toColumnName,
  toMaxOctets,
  toRuleIndexes,
  toUniqueIndexes,
  type TableColumn,
  type TableDesign,
} from '../migrate/table-design.ts'
import { planTableIndexes, planMissingIndexes } from '../migrate/plan-indexes.ts'
import {
  assertCanAddColumn,
  assertColumnType,
  findMissingColumns,
  extendKnownColumns,
  toKnownValues,
  toKnownWhere,
  type KnownColumns,
  type KnownColumn,
  type MissingColumn,
} from './known-columns.ts'
import { applyPlan, type MigrationTarget } from '../migrate/migrate.ts'
import { planColumns } from '../migrate/plan-table.ts'
import { createRowStore, type RowStore } from './row-store.ts'
import type { MigrationStep } from '../migrate/migration-step.ts'

/** A table, and what is known of it by now. */
export interface TableState {
  readonly design: TableDesign
  readonly shape: ResourceShape
  knownColumns: KnownColumns
}

/** The rows of a table. Fields that no schema declares get a column when they are first met. */
export function createSchemaEvolvingStore(state: TableState, migrationTarget: MigrationTarget): RowStore {
  let { knownColumns: knowledge } = state
  let rows = createRowStore(knowledge.layout, migrationTarget.run)

  /** Asks the rows, once all that a call speaks of has a column. */
  function withColumns<T>(where: Where, values: Fields, operation: RowOperation<T>): Promise<T> {
    const missing = findMissingColumns(state.knownColumns, where, values)
    if (missing.length === 0) return operation(current(), values)
    return addMissingColumns(state, migrationTarget, missing).then((learned) => {
      state.knownColumns = extendKnownColumns(state.knownColumns, learned)
      return operation(current(), toKnownValues(state.knownColumns, values))
    })
  }
  function current(): RowStore {
    if (state.knownColumns !== knowledge) {
      knowledge = state.knownColumns
      rows = createRowStore(knowledge.layout, migrationTarget.run)
    }
    return rows
  }
  const toKnownTarget = <T extends { where: Where }>(target: T): T => {
    const where = toKnownWhere(knowledge, target.where)
    return where === target.where ? target : { ...target, where }
  }

  return {
    list: async (query) => withColumns(query.where, NO_VALUES, (known) => known.list(toKnownTarget(query))),
    get: async (target) => withColumns(target.where, NO_VALUES, (known) => known.get(toKnownTarget(target))),
    create: async (values) => withColumns(ALL_ROWS, values, (known, fields) => known.create(fields)),
    replace: async (target, values) =>
      withColumns(target.where, values, (known, fields) => known.replace(toKnownTarget(target), fields)),
    delete: async (target) => withColumns(target.where, NO_VALUES, (known) => known.delete(toKnownTarget(target))),
  }
}

/** Sees to it that what is unique together with fields that no schema declares is so, where those have a column. */
export async function ensureUniqueIndexes(state: TableState, target: MigrationTarget): Promise<void> {
  if (findUndeclared(state).length === 0) return
  state.knownColumns = extendKnownColumns(state.knownColumns, await addMissingColumns(state, target, []))
}

function findUndeclared({ shape }: TableState): string[] {
  const declared = new Set(shape.fields.map(({ name }) => name))
  return [...new Set(shape.unique.flat())].filter((field) => !declared.has(field))
}

/** Asks what is known now, with the values that can be kept. */
type RowOperation<T> = (rows: RowStore, values: Fields) => Promise<T>

const NO_VALUES: Fields = {}
const ALL_ROWS: Where = {}

/** Makes the columns that are needed, where they are not there; gives all that there are then. */
async function addMissingColumns(
  state: TableState,
  target: MigrationTarget,
  requested: readonly MissingColumn[],
): Promise<KnownColumn[]> {
  // An index for what is unique may want columns that were made before.
  const others = findUndeclared(state).filter(
    (field) => !requested.some((missingColumn) => missingColumn.field === field),
  )
  const missing = [...requested, ...others.map((field) => ({ field, type: null, isFiltered: false }))]
  for (const { field } of missing) assertCanAddColumn(state.knownColumns, field)
  let added: KnownColumn[] = []
  await applyPlan(target, state.design.name, (found) => {
    if (found === null)
      throw new Error(`The table ${state.design.name} is gone: was it dropped while this program ran?`)
    const columns = missing.flatMap((need) => toColumnDesign(need, found) ?? [])
    added = columns.map((column) => ({
      ...column,
      isRead: false,
      isUndeclared: true,
      isCut: column.type === 'string',
      isIndexed:
        missing.some(({ field, isFiltered: isAsked }) => field === column.field && isAsked) ||
        isIndexed(state, column.field),
    }))
    return planMissingColumns(state, added as (KnownColumn & TableColumn)[], found)
  })
  return added
}

function isIndexed({ knownColumns: knowledge }: TableState, field: string): boolean {
  return knowledge.columns.get(field)?.isIndexed === true
}

function planMissingColumns(
  { design, shape }: TableState,
  needed: readonly (TableColumn & KnownColumn)[],
  found: CatalogTable,
): MigrationStep[] {
  const { name } = design
  const columns = [...design.columns, ...needed]
  const made = new Set(design.indexes.map((index) => index.name))
  const unique = toUniqueIndexes(name, columns, shape).filter((index) => !made.has(index.name))
  const indexes = needed.filter((column) => column.isIndexed).flatMap((column) => toRuleIndexes(design, column, shape))
  const indexing = planTableIndexes({ name, columns, indexes }, found)
  return [
    ...planColumns({ name, columns: needed, indexes: unique }, found),
    ...planMissingIndexes({ name, columns, indexes: unique }, found),
    // Without them lists are slower, but right: this program may not be allowed to make any.
    ...indexing.map((step) => ({ ...step, isOptional: true })),
  ]
}

/** A column for what is needed, of the type that it has already; null where nothing tells its type. */
function toColumnDesign({ field, type: wanted }: MissingColumn, found: CatalogTable): TableColumn | null {
  const name = toColumnName(field)
  const known = found.columns.get(name)
  const kept = known === undefined ? wanted : fieldTypeOf(known.type)
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
  assertColumnType(column, wanted)
  return column
}

function fieldTypeOf(sqlType: string): FieldType | null {
  const types = Object.entries(SQL_TYPES) as [FieldType, string][]
  return types.find(([type, known]) => known === sqlType && type !== 'json')?.[0] ?? null
}
