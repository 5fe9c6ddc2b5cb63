import type { HealthCheck } from '../observe/health-check.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { Resource } from '../define/resource.ts'
import type { Store } from '../define/store.ts'

/** The stores of an app. */
export interface Stores {
  /** What `/readyz` asks: is there room for the rows? */
  readonly checks: Readonly<Record<string, HealthCheck>>
  /** Begins to open them all; what fails is logged, and tried again when it is needed. */
  open(log: Log): void
  close(): Promise<void>
}

/** The stores of these resources. Two versions of an API may share one. */
export function createStores(resources: readonly Pick<Resource, 'name' | 'store'>[]): Stores {
  const stores = new Map<Store, string>(resources.map(({ name, store }) => [store, name]))
  const opening = [...stores].flatMap(([store, name]) =>
    store.ready === undefined ? [] : [{ name, ready: () => store.ready?.() }],
  )
  // Resources of one name in two versions may have two stores: both must be ready.
  const checkAll = async (name: string): Promise<unknown> =>
    Promise.all(opening.filter((one) => one.name === name).map(async ({ ready }) => ready()))
  return {
    checks: Object.fromEntries(opening.map(({ name }) => [name, () => checkAll(name)])),
    open(log) {
      for (const { name, ready } of opening) {
        ready()?.catch((error: unknown) => {
          log.error(`the store of ${name} is not ready`, errorFields(error))
        })
      }
    },
    async close() {
      await Promise.all(Array.from(stores.keys(), async (store) => store.close?.()))
    },
  }
}
