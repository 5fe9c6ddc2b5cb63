import type { RequestContext } from '../context/context.ts'
import type { ReferenceTarget } from '../define/resource-definition.ts'
import type { RouterEntry } from '../define/router.ts'
import type { Fields, Row, Store, StoreTransaction, Where } from '../define/store.ts'
import { createAccessLookup } from './access-rule.ts'
import { missingReference } from './memory-references.ts'

type ResourceEntry = RouterEntry & { kind: 'resource' }

/** The resources that a resource's fields refer to, by field. */
export type References = ReadonlyMap<string, ReferenceTarget>

/**
 * Resolves the names in `references`, preferably to a resource of the same API version, and lets the stores enforce
 * them. Throws a `TypeError` if a resource does not exist or if a store cannot enforce its references.
 */
export function connectReferences(entries: readonly ResourceEntry[]): ReadonlyMap<ResourceEntry, References> {
  return new Map(entries.map((entry) => [entry, connect(entry, entries)]))
}

function connect({ resource, version }: ResourceEntry, entries: readonly ResourceEntry[]): References {
  const { name, store, definition } = resource
  const wanted = Object.entries(definition.references ?? {})
  if (wanted.length === 0) return new Map()
  const targets = wanted.map(([field, { to, onDelete }]) => {
    if (typeof to !== 'string') return { field, target: to, onDelete }
    const named = entries.filter((entry) => entry.resource.name === to)
    const target = (named.find((entry) => entry.version === version) ?? named[0])?.resource
    if (target?.store.get === undefined)
      throw new TypeError(
        `resource "${name}": references.${field} refers to "${to}", ` +
          `which is not mounted or whose store has no get(): add .resource('${version}', ${to})`,
      )
    return { field, target, onDelete }
  })
  const fix = 'use table() with the same database, or memoryStore(), for both resources, or validate the id in check'
  if (store.addReferences === undefined)
    throw new TypeError(`resource "${name}": its store cannot enforce references: ${fix}`)
  try {
    store.addReferences(targets.map(({ field, target, onDelete }) => ({ field, store: target.store, onDelete })))
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new TypeError(`resource "${name}": references cannot be enforced: ${cause.message}: ${fix}`, { cause })
  }
  return new Map(targets.map(({ field, target }) => [field, target]))
}

/**
 * Throws 400 if new values refer to rows that do not exist or that the caller may not read. The error is the same in
 * both cases, so that it reveals nothing about hidden rows.
 */
export async function assertReferences(
  references: References,
  ctx: RequestContext,
  { values, before }: { values: Fields; before: Row | null },
): Promise<void> {
  if (references.size === 0) return
  const findAccess = createAccessLookup(ctx)
  const missing: string[] = []
  for (const [field, { definition, store }] of references) {
    const id = (values[field] ?? null) as number | null
    if (id === null || id === before?.[field]) continue
    const where = await findAccess(definition, 'get')
    if (where === null || !(await hasRow(store, id, where))) missing.push(field)
  }
  if (missing.length > 0) throw missingReference(missing)
}

/**
 * The ids that a transaction has created or found, by store. A caller who may read all rows can refer to them again
 * without another statement: transactions often create many rows that refer to the same row. If it is deleted, the
 * store itself rejects the reference.
 */
const knownIds = new WeakMap<StoreTransaction, Map<Store, Set<unknown>>>()

/** Remembers that a row exists, until the end of the current transaction. */
export function rememberRow(store: Store, id: unknown): void {
  const transaction = store.currentTransaction?.() ?? null
  if (transaction === null) return
  const known = knownIds.get(transaction) ?? new Map<Store, Set<unknown>>()
  knownIds.set(transaction, known.set(store, (known.get(store) ?? new Set()).add(id)))
}

async function hasRow(store: Store, id: number, where: Where): Promise<boolean> {
  // A rule with conditions is checked each time, since the row may have changed.
  const transaction = Object.keys(where).length === 0 ? store.currentTransaction?.() : null
  if (transaction && knownIds.get(transaction)?.get(store)?.has(id) === true) return true
  if (!(await store.get?.({ id, where }))) return false
  rememberRow(store, id)
  return true
}
