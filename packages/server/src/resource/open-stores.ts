import type { HealthCheck } from '../observe/health-check.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { Resource } from '../define/resource.ts'
import type { Store } from '../define/store.ts'

/** An app's stores. */
export interface Stores {
  /** The readiness checks for the stores, used by `/readyz`. */
  readonly checks: Readonly<Record<string, HealthCheck>>
  /** Starts opening all stores. Failures are logged, and opening is retried when a store is used. */
  open(log: Log): void
  close(): Promise<void>
}

type StoreOwner = Pick<Resource, 'name' | 'store'> & Partial<Pick<Resource, 'relations'>>

/** Collects the stores of these resources and of their relations. Two API versions may share a store. */
export function createStores(resources: readonly StoreOwner[]): Stores {
  // Relations may refer to resources that are not mounted.
  const related = resources.flatMap(({ relations = {} }) => Object.values(relations).map(({ target }) => target))
  const stores = new Map<Store, string>([...related, ...resources].map(({ name, store }) => [store, name]))
  const opening = [...stores].flatMap(([store, name]) =>
    store.ready === undefined ? [] : [{ name, ready: () => store.ready?.() }],
  )
  // Two versions of a resource may have separate stores: both must be ready.
  const checkAll = async (name: string): Promise<unknown> =>
    Promise.all(opening.filter((one) => one.name === name).map(async ({ ready }) => ready()))
  return {
    checks: Object.fromEntries(opening.map(({ name }) => [name, () => checkAll(name)])),
    open(log) {
      for (const { name, ready } of opening) {
        ready()?.catch((error: unknown) => {
          log.error(`the store for ${name} is not ready`, errorFields(error))
        })
      }
    },
    async close() {
      await Promise.all(Array.from(stores.keys(), async (store) => store.close?.()))
    },
  }
}
