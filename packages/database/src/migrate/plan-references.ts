import type { CatalogTable } from './catalog.ts'
import { addReference, toReferenceName } from './expand-contract.ts'
import type { MigrationStep } from './migration-step.ts'
import type { TableDesign } from './table-design.ts'

/**
 * Plans a table's foreign keys. Their indexes are part of the table's design. Foreign keys are added in a second phase,
 * when all tables exist: a table may reference a table that is created later.
 */
export function planReferences({ name, references = [] }: TableDesign, found: CatalogTable | null): MigrationStep[] {
  return references
    .filter((reference) => found?.foreignKeys.includes(toReferenceName(name, reference)) !== true)
    .map((reference) => {
      const steps = addReference(name, reference)
      const what = `${reference.column} must reference ${reference.parent}`
      return { what, sql: steps.map(({ sql }) => sql), steps, isForeignKey: true }
    })
}
