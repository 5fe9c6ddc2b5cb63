import type { ListResult, Row, Store } from '../define/store.ts'
import { readFirst } from '../resource/live/live-rows.ts'

/** The maximum total size of changed rows that are compared with lists, in bytes. */
const MAX_BYTES = 4 * 1_048_576

/** Reads changed rows, where null stands for a deleted row. Returns null if they cannot be read or are too large. */
export async function findRows(store: Store, ids: ReadonlySet<number>): Promise<Map<number, Row | null> | null> {
  const sort = [{ field: 'id', isDescending: false }]
  const conditions = [{ field: 'id', operator: 'in', value: [...ids] } as const]
  const query = { limit: ids.size, sort, after: null, conditions, where: {}, isCounted: false, maxBytes: MAX_BYTES }
  try {
    const list = async (): Promise<ListResult> => (await store.list?.(query)) ?? { rows: [], isCut: true }
    const { rows: found, isCut } = await readFirst(store, list)
    const rows = new Map<number, Row | null>(Array.from(ids, (id) => [id, null]))
    for (const row of found) rows.set(row.id, row)
    return isCut === true ? null : rows
  } catch {
    return null
  }
}
