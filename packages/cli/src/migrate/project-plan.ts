import { connectReferences, type PlannedChange, type Router, type Store } from '@sdk/server'
import type { PendingFile } from '../database-package.ts'
import { toMigrationFailure } from './migration-failure.ts'
import { listPendingFiles, type MigrationSource } from './migration-files.ts'

/** The differences between a project's schemas and its database. */
export interface ProjectPlan {
  /** The migration files that have not been applied yet. They may contain some of the changes. */
  readonly files: readonly PendingFile[]
  /** The changes to all tables, with foreign keys last, since they refer to other tables. */
  readonly changes: readonly TableChange[]
  /** The names of the resources whose stores manage their own migrations. */
  readonly unmanaged: readonly string[]
}

/** A change and its table. */
export interface TableChange extends PlannedChange {
  readonly table: string
}

/** Compares the tables of a router's resources with their schemas, then closes the resources' stores. */
export async function planProject(
  router: Pick<Router, 'entries'> | null,
  source: MigrationSource,
): Promise<ProjectPlan> {
  const resources = (router?.entries ?? []).filter((entry) => entry.kind === 'resource')
  // Two API versions may share a store.
  const stores = new Map<Store, string>(resources.map(({ resource: { store, name } }) => [store, name]))
  try {
    connectReferences(resources)
    const files = await listPendingFiles(source)
    const changes: TableChange[] = []
    const unmanaged: string[] = []
    for (const [store, name] of stores) {
      const plan = await store.plan?.()
      if (plan === undefined) unmanaged.push(name)
      else changes.push(...plan.changes.map((change) => ({ table: plan.table, ...change })))
    }
    // Two resources may share a table.
    const distinct = [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()]
    const isLast = ({ isForeignKey = false }: TableChange): boolean => isForeignKey
    return { files, changes: [...distinct.filter((one) => !isLast(one)), ...distinct.filter(isLast)], unmanaged }
  } catch (error) {
    throw toMigrationFailure(error)
  } finally {
    await Promise.all(Array.from(stores.keys(), async (store) => store.close?.()))
  }
}

/** Returns whether changes must be applied. Cleanup changes do not count. */
export function isPending({ files, changes }: ProjectPlan): boolean {
  return files.length > 0 || changes.some(({ kind }) => kind !== 'cleanup')
}
