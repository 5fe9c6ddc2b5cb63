import type { ResourceShape, Store } from '@sdk/server'
import { type Database, table } from '../index.ts'

/** The shape of a live resource with a title. */
export const SHAPE: ResourceShape = {
  name: 'things',
  fields: [{ name: 'title', type: 'string', isNullable: false }],
  filter: [],
  sort: [],
  unique: [],
  isLive: true,
}

/** Creates the store of a table with a title, live by default. */
export function liveTable(database: Database, name: string, shape: Partial<ResourceShape> = {}): Required<Store> {
  return table(name, { database })({ ...SHAPE, ...shape }) as Required<Store>
}

/** The changes that a store has announced, in order. */
export interface Announced {
  readonly changes: (readonly number[] | null)[]
  stop(): void
}

/** Watches a store. Resolves when its listener is connected, with the changes from then on. */
export async function watch(store: Store, query: (sql: string) => Promise<unknown>): Promise<Announced> {
  const changes: Announced['changes'] = []
  const stop = store.watch?.((ids) => changes.push(ids)) ?? (() => {})
  const isHeard = (id: number): boolean => changes.some((ids) => ids?.[0] === id)
  for (let id = -1; !isHeard(id + 1); id--) {
    await query(`select pg_notify('sdk_live', '${store.table} ${id}')`)
    for (let waits = 0; waits < 20 && !isHeard(id); waits++) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  changes.length = 0
  return { changes, stop }
}
