import type { PlannedChange, Router, Store } from '@sdk/server'
import { Failure } from '../failure.ts'
import { findHint } from '../log-hints.ts'

/** The differences between a project's schemas and its database. */
export interface ProjectPlan {
  /** The changes of all tables, with foreign keys last, since they refer to other tables. */
  readonly changes: readonly TableChange[]
  /** The names of the resources whose stores keep their own migrations. */
  readonly unmanaged: readonly string[]
}

/** A change and its table. */
export interface TableChange extends PlannedChange {
  readonly table: string
}

/** Compares the stores of a router's resources with their schemas, and closes them. */
export async function planProject(router: Pick<Router, 'entries'> | null): Promise<ProjectPlan> {
  const resources = (router?.entries ?? []).flatMap((entry) => (entry.kind === 'resource' ? [entry.resource] : []))
  // Two API versions may share a store.
  const stores = new Map<Store, string>(resources.map(({ store, name }) => [store, name]))
  try {
    const changes: TableChange[] = []
    const unmanaged: string[] = []
    for (const [store, name] of stores) {
      const plan = await store.plan?.()
      if (plan === undefined) unmanaged.push(name)
      else changes.push(...plan.changes.map((change) => ({ table: plan.table, ...change })))
    }
    const isLast = ({ isForeignKey = false }: TableChange): boolean => isForeignKey
    return { changes: [...changes.filter((one) => !isLast(one)), ...changes.filter(isLast)], unmanaged }
  } catch (error) {
    throw toPlanFailure(error)
  } finally {
    await Promise.all(Array.from(stores.keys(), async (store) => store.close?.()))
  }
}

/** Returns whether the schemas and the database differ. What is only no longer used does not count. */
export function isPending({ changes }: ProjectPlan): boolean {
  return changes.some(({ kind }) => kind !== 'cleanup')
}

function toPlanFailure(error: unknown): Failure {
  const { message, cause } = error as Error
  const text = cause instanceof Error ? `${message}: ${cause.message}` : message
  return new Failure(`the database cannot be compared with the schemas: ${text}`, {
    code: 'MIGRATION_FAILED',
    fix: findHint(text, undefined),
    cause: error,
  })
}
