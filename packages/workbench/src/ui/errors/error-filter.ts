import type { ErrorGroup } from '../../api.ts'

/** Returns the groups whose message, name, code, route or file contains the search string. */
export function filterErrorGroups(groups: readonly ErrorGroup[], search: string): readonly ErrorGroup[] {
  const word = search.trim().toLowerCase()
  if (word === '') return groups
  return groups.filter(({ route, error: { message, name, code, frames } }) =>
    [route, message, name, code, ...frames.map(({ file }) => file)].some((text) => text?.toLowerCase().includes(word)),
  )
}

/** Counts the times in each of `count` equal intervals between the first and the last time. */
export function toBuckets(times: readonly number[], count: number): number[] {
  const buckets = Array.from({ length: count }, () => 0)
  const first = Math.min(...times)
  const span = Math.max(...times) - first
  for (const time of times) {
    const place = span === 0 ? count - 1 : Math.min(count - 1, Math.floor(((time - first) / span) * count))
    buckets[place] = (buckets[place] ?? 0) + 1
  }
  return buckets
}
