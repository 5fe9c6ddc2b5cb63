import { ApiError } from '@sdk/protocol'
import type { Fields, Row, Store, StoreReference } from '../define/store.ts'

/** The rows of a memory store, and the references from and to them. */
export interface MemoryTable {
  readonly rows: Map<number, Row>
  /** The references from this table's rows, with the tables that they refer to. */
  parents: readonly (StoreReference & { readonly table: MemoryTable })[]
  /** The references to this table's rows, grouped by the table that they are in. */
  readonly children: Map<MemoryTable, readonly StoreReference[]>
  /** Announces changed rows. */
  announce(ids: readonly number[]): void
}

const tables = new WeakMap<Store, MemoryTable>()

/** Registers a memory store, so that other memory stores can reference its rows. */
export function registerMemoryTable(store: Store, table: MemoryTable): Store {
  tables.set(store, table)
  return store
}

/** Sets the references of a table's rows. Throws a `TypeError` if they refer to a different kind of store. */
export function setReferences(table: MemoryTable, references: readonly StoreReference[]): void {
  table.parents = references.map((reference) => {
    const parent = tables.get(reference.store)
    if (parent === undefined) throw new TypeError('both resources must use memoryStore()')
    const own = references.filter(({ store }) => store === reference.store)
    parent.children.set(table, own)
    return { ...reference, table: parent }
  })
}

/** Throws 400 if values refer to rows that do not exist. */
export function assertParents({ parents }: MemoryTable, values: Fields): void {
  for (const { field, table } of parents) {
    const id = (values[field] ?? null) as number | null
    if (id !== null && !table.rows.has(id)) throw missingReference([field])
  }
}

/** Deletes a row and the rows that refer to it. Throws 409 if a reference has `onDelete: 'restrict'`. */
export function deleteWithChildren(table: MemoryTable, id: number): void {
  const doomed = new Map<MemoryTable, Set<number>>()
  collectChildren(table, id, doomed)
  for (const [each, ids] of doomed) {
    for (const one of ids) each.rows.delete(one)
    each.announce([...ids])
  }
}

function collectChildren(table: MemoryTable, id: number, doomed: Map<MemoryTable, Set<number>>): void {
  const ids = doomed.get(table) ?? new Set()
  if (ids.has(id)) return
  doomed.set(table, ids.add(id))
  for (const [child, references] of table.children) {
    for (const { field, onDelete } of references) {
      const found = Array.from(child.rows.values()).filter((row) => row[field] === id)
      if (onDelete === 'restrict' && found.length > 0) throw stillReferenced()
      for (const row of found) collectChildren(child, row.id, doomed)
    }
  }
}

/** Creates the error for fields that refer to rows that do not exist, or that the caller may not read. */
export function missingReference(fields: readonly string[]): ApiError {
  const detail = { code: 'REFERENCED', message: 'references a row that does not exist', source: 'body' } as const
  const details = fields.map((field) => ({ ...detail, pointer: `/${field}` }))
  return new ApiError('INVALID_REQUEST', `${fields.join(' and ')} ${detail.message}`, { details })
}

function stillReferenced(): ApiError {
  const details = [{ code: 'REFERENCED', message: 'is still referenced', source: 'body' } as const]
  return new ApiError('CONFLICT', 'other rows still reference it', { details })
}
