import type { MigrationTarget } from '../migrate/migrate.ts'
import { toMigrationError } from '../migrate/migration-step.ts'
import { refuseOrphans } from '../migrate/plan-references.ts'
import { checkReference, toReferenceName } from '../migrate/expand-contract.ts'
import type { TableDesign, TableReference } from '../migrate/table-design.ts'
import { quoteIdent, type RunStatement } from '../table-layout.ts'

interface ForeignKey extends TableReference {
  readonly name: string
}

/**
 * Creates the foreign keys of a table. The parent tables must exist. Drops keys that an earlier call created with a
 * different action, and checks the rows of keys whose migration was interrupted.
 */
export async function addForeignKeys({ run, runExclusive }: MigrationTarget, design: TableDesign): Promise<void> {
  const keys = (design.references ?? []).map((reference): ForeignKey => {
    return { ...reference, name: toReferenceName(design.name, reference) }
  })
  if (keys.length === 0 || (await findChanges(run, design.name, keys)).isCurrent) return
  await runExclusive(async (inner) => {
    const { missing, outdated, unchecked } = await findChanges(inner, design.name, keys)
    // Parents are locked first: a concurrent insert uses the same order, so it cannot cause a deadlock. A check alone does
    // not block writes.
    const changed = missing.length + outdated.length > 0 ? keys : []
    const parents = [...new Set(changed.map(({ parent }) => parent))].toSorted()
    for (const parent of parents)
      await inner({ text: `lock table ${quoteIdent(parent)} in share row exclusive mode`, values: [] })
    const table = quoteIdent(design.name)
    for (const name of outdated)
      await inner({ text: `alter table ${table} drop constraint ${quoteIdent(name)}`, values: [] })
    for (const key of missing) {
      await assertNoOrphans(inner, design.name, key)
      const definition = `foreign key (${quoteIdent(key.column)}) references ${quoteIdent(key.parent)} ("id") on delete ${key.onDelete}`
      await inner({ text: `alter table ${table} add constraint ${quoteIdent(key.name)} ${definition}`, values: [] })
    }
    for (const key of unchecked) {
      await assertNoOrphans(inner, design.name, key)
      await inner({ text: checkReference(design.name, key).sql, values: [] })
    }
  })
}

async function findChanges(run: RunStatement, table: string, keys: readonly ForeignKey[]) {
  const found = await run({ text: FIND_KEYS, values: [quoteIdent(table)] })
  const names = new Set(found.map(({ name }) => String(name)))
  const uncheckedNames = new Set(found.flatMap(({ name, isChecked }) => (isChecked === true ? [] : [name])))
  const unchecked = keys.filter(({ name }) => uncheckedNames.has(name))
  const missing = keys.filter(({ name }) => !names.has(name))
  // The names that these keys would have with the other `onDelete` action.
  const outdated = keys
    .map((key) => toReferenceName(table, { ...key, onDelete: key.onDelete === 'cascade' ? 'restrict' : 'cascade' }))
    .filter((name) => names.has(name))
  return { missing, outdated, unchecked, isCurrent: missing.length + outdated.length + unchecked.length === 0 }
}

const FIND_KEYS = `select conname as name, convalidated as "isChecked" from pg_constraint
  where conrelid = to_regclass($1) and contype = 'f'`

async function assertNoOrphans(run: RunStatement, table: string, reference: TableReference): Promise<void> {
  const { unless, refusal } = refuseOrphans(table, reference)
  const [orphan] = await run({ text: unless, values: [] })
  if (orphan !== undefined) throw toMigrationError(table, [refusal])
}
