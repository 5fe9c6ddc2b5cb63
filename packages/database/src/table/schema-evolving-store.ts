import type { Fields, ResourceShape, Where } from '@sdk/server'
import type { CatalogTable } from '../migrate/catalog.ts'
import {
  toColumnName,
  toFieldType,
  toMaxOctets,
  toRuleIndexes,
  toUniqueIndexes,
  type TableColumn,
  type TableDesign,
} from '../migrate/table-design.ts'
import { planTableIndexes, planMissingIndexes } from '../migrate/plan-indexes.ts'
import {
  type AssignedFields,
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

/** A shape with the declared types of the fields that only `assign` and `access` use. */
export interface TableShape extends ResourceShape {
  readonly assigned: AssignedFields
}

/** A table and the columns that are known to this process. */
export interface TableState {
  readonly design: TableDesign
  readonly shape: TableShape
  knownColumns: KnownColumns
}

/**
 * Creates the row store for a table. In development, a field that neither the schema nor `assigned` declares gets a
 * column when a call first uses it. In production, such a call is rejected.
 */
export function createSchemaEvolvingStore(state: TableState, migrationTarget: MigrationTarget): RowStore {
  let { knownColumns } = state
  const { run, runWrite } = migrationTarget
  let rows = createRowStore(knownColumns.layout, run, runWrite)

  function withColumns<T>(where: Where, values: Fields, operation: RowOperation<T>): Promise<T> {
    const missing = findMissingColumns(state.knownColumns, where, values)
    if (missing.length === 0) return operation(current(), values)
    return addMissingColumns(state, migrationTarget, { requested: missing, isRequest: true }).then((added) => {
      state.knownColumns = extendKnownColumns(state.knownColumns, added)
      return operation(current(), toKnownValues(state.knownColumns, values))
    })
  }
  function current(): RowStore {
    if (state.knownColumns !== knownColumns) {
      knownColumns = state.knownColumns
      rows = createRowStore(knownColumns.layout, run, runWrite)
    }
    return rows
  }
  const toKnownTarget = <T extends { where: Where }>(target: T): T => {
    const where = toKnownWhere(knownColumns, target.where)
    return where === target.where ? target : { ...target, where }
  }

  return {
    list: async (query) => withColumns(query.where, NO_VALUES, (known) => known.list(toKnownTarget(query))),
    get: async (target) => withColumns(target.where, NO_VALUES, (known) => known.get(toKnownTarget(target))),
    create: async (values) => withColumns(ALL_ROWS, values, (known, fields) => known.create(fields)),
    replace: async (target, values) =>
      withColumns(target.where, values, (known, fields) => known.replace(toKnownTarget(target), fields)),
    delete: async (target) => withColumns(target.where, NO_VALUES, (known) => known.delete(toKnownTarget(target))),
    resolve: async (where) => withColumns(where, NO_VALUES, (known) => known.resolve(toKnownTarget({ where }).where)),
  }
}

/**
 * Creates the columns of assigned fields whose types are declared, and the unique indexes on fields that no schema
 * declares, if the fields have columns.
 */
export async function ensureColumns(state: TableState, target: MigrationTarget): Promise<void> {
  const assigned = toAssignedColumns(state.shape)
  if (assigned.length === 0 && findUndeclared(state).length === 0) return
  state.knownColumns = extendKnownColumns(
    state.knownColumns,
    await addMissingColumns(state, target, { requested: assigned, isRequest: false }),
  )
}

/** Plans the columns of assigned fields whose types are declared. A new table gets them when it is opened. */
export function planAssigned(design: TableDesign, shape: TableShape, found: CatalogTable | null): MigrationStep[] {
  if (found === null) return []
  return planMissingColumns({ design, shape }, toKnownMissing(toAssignedColumns(shape), found), found)
}

function toAssignedColumns({ assigned }: TableShape): MissingColumn[] {
  return Object.entries(assigned).map(([field, type]) => ({ field, type, isFiltered: true }))
}

function findUndeclared({ shape }: TableState): string[] {
  const declared = new Set(shape.fields.map(({ name }) => name))
  return [...new Set(shape.unique.flat())].filter((field) => !declared.has(field))
}

type RowOperation<T> = (rows: RowStore, values: Fields) => Promise<T>

const NO_VALUES: Fields = {}
const ALL_ROWS: Where = {}

async function addMissingColumns(
  state: TableState,
  target: MigrationTarget,
  { requested, isRequest }: { requested: readonly MissingColumn[]; isRequest: boolean },
): Promise<KnownColumn[]> {
  // A unique index may need columns that were added earlier.
  const others = findUndeclared(state).filter((field) => !requested.some((column) => column.field === field))
  const missing = [...requested, ...others.map((field) => ({ field, type: null, isFiltered: false }))]
  for (const { field } of missing) assertCanAddColumn(state.knownColumns, field)
  let added: (TableColumn & KnownColumn)[] = []
  await applyPlan(target, state.design.name, (found) => {
    if (found === null)
      throw new Error(`table ${state.design.name} does not exist (dropped while the app was running?)`)
    const columns = toKnownMissing(missing, found)
    const isKnown = (field: string): boolean => state.knownColumns.columns.get(field)?.isIndexed === true
    added = columns.map((column) => ({ ...column, isIndexed: column.isIndexed || isKnown(column.field) }))
    const steps = planMissingColumns(state, added, found)
    return isRequest && process.env['NODE_ENV'] === 'production' ? refuseSteps(state.design, added, steps) : steps
  })
  return added
}

/** Throws if a request would have to change its table. Missing indexes are ignored, since they are optional. */
function refuseSteps({ name }: TableDesign, columns: readonly KnownColumn[], steps: readonly MigrationStep[]): [] {
  if (steps.every((step) => step.isOptional === true)) return []
  const types = columns.map(({ field, type }) => `${field}: '${type}'`).join(', ')
  throw new Error(
    `table ${name} has no column for a field used in assign or access, and tables are not altered during requests ` +
      `in production: declare it, as in table('${name}', { assigned: { ${types} } }), so that it is created at startup`,
  )
}

function toKnownMissing(missing: readonly MissingColumn[], found: CatalogTable): (TableColumn & KnownColumn)[] {
  return missing.flatMap((one) => {
    const column = toColumnDesign(one, found)
    if (column === null) return []
    return [
      { ...column, isRead: false, isUndeclared: true, isCut: column.type === 'string', isIndexed: one.isFiltered },
    ]
  })
}

function planMissingColumns(
  { design, shape }: Pick<TableState, 'design' | 'shape'>,
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
    // These steps are optional, since the database user might not have the privilege to create indexes. Without the
    // indexes, lists are slower.
    ...indexing.map((step) => ({ ...step, isOptional: true })),
  ]
}

/**
 * Returns the design of a column that a call needs, or null if its type is unknown. An existing column keeps its type.
 */
function toColumnDesign({ field, type: requested }: MissingColumn, found: CatalogTable): TableColumn | null {
  const name = toColumnName(field)
  const existing = found.columns.get(name)
  const type = existing === undefined ? requested : toFieldType(existing.type)
  if (type === null || type === 'json') {
    if (existing === undefined) return null
    throw new TypeError(`${field} cannot be stored in the column ${name}, which has the type ${existing.type}`)
  }
  const column = {
    field,
    name,
    type,
    isNullable: existing?.isNullable ?? true,
    default: null,
    maxOctets: toMaxOctets(type),
    isUnique: false,
  }
  assertColumnType(column, requested)
  return column
}
