import type { CatalogTable } from './catalog.ts'
import { addReference, checkReference, toReferenceName } from './expand-contract.ts'
import type { MigrationRefusal, MigrationStep } from './migration-step.ts'
import { quoteIdent } from '../table-layout.ts'
import type { TableDesign, TableReference } from './table-design.ts'

/**
 * Plans a table's foreign keys. Their indexes are part of the table's design. Foreign keys are added in a second phase,
 * when all tables exist: a table may reference a table that is created later.
 */
export function planReferences({ name, references = [] }: TableDesign, found: CatalogTable | null): MigrationStep[] {
  return references
    .filter((reference) => found?.foreignKeys.includes(toReferenceName(name, reference)) !== true)
    .map((reference) => {
      const isUnchecked = found?.uncheckedKeys.includes(toReferenceName(name, reference)) === true
      const steps = isUnchecked ? [checkReference(name, reference)] : addReference(name, reference)
      const what = `${reference.column} must reference ${reference.parent}`
      const step = { what, sql: steps.map(({ sql }) => sql), steps, isForeignKey: true }
      return found?.columns.has(reference.column) === true ? { ...step, ...refuseOrphans(name, reference) } : step
    })
}

/** Returns the refusal of a reference if some rows reference rows that do not exist, and the query that finds them. */
export function refuseOrphans(
  table: string,
  { field, column, parent }: TableReference,
): { unless: string; refusal: MigrationRefusal } {
  const [name, from] = [quoteIdent(column), quoteIdent(table)]
  const isOrphan = `${name} is not null and not exists (select 1 from ${quoteIdent(parent)} p where p."id" = ${from}.${name})`
  const refusal = {
    what: `the field ${field} is now a reference`,
    why: 'some rows reference rows that do not exist; this SQL deletes the referencing rows',
    sql: [`delete from ${from} where ${isOrphan}`],
  }
  return { unless: `select 1 from ${from} where ${isOrphan} limit 1`, refusal }
}
