import type { SortKey } from './store.ts'

/** Parses a sort order, such as `-createdAt,title`. */
export function parseSortKeys(text: string): SortKey[] {
  return text.split(',').map((key) => ({ field: key.replace(/^-/, ''), isDescending: key.startsWith('-') }))
}

/** Makes a sort order total. If the id is missing, it is added in the direction of the first key. */
export function withIdKey(keys: readonly SortKey[]): SortKey[] {
  // Keys after the id have no effect.
  const end = keys.findIndex(({ field }) => field === 'id')
  const isDescending = keys[0]?.isDescending ?? false
  return end === -1 ? [...keys, { field: 'id', isDescending }] : keys.slice(0, end + 1)
}
