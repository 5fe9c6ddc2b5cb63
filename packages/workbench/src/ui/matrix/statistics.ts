import { quantile } from '../components/format.ts'
import { createFingerprints } from '../compare/fingerprint.ts'

/** Returns statistics for durations in ms, or null if the list is empty. */
export function toDurationStats(times: readonly number[]) {
  if (times.length === 0) return null
  return { min: Math.min(...times), p50: quantile(times, 0.5), p95: quantile(times, 0.95), max: Math.max(...times) }
}

/** Groups durations into columns of equal width, from the shortest to the longest. */
export function toHistogram(times: readonly number[], columns: number) {
  if (times.length === 0) return []
  const [low, high] = [Math.min(...times), Math.max(...times)]
  const width = (high - low) / columns || 1
  const counts = Array.from({ length: columns }, () => 0)
  for (const time of times) {
    const index = Math.min(columns - 1, Math.floor((time - low) / width))
    counts[index] = (counts[index] ?? 0) + 1
  }
  return counts.map((count, index) => ({ from: low + index * width, to: low + (index + 1) * width, count }))
}

/** Counts how often each value occurs, most frequent first. */
export function countBy<T>(values: readonly T[]): (readonly [value: T, count: number])[] {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])
}

/** Groups the indexes of equal values, in the order of their first occurrence. */
export function groupEqual(values: readonly unknown[]): number[][] {
  const fingerprints = createFingerprints()
  const groups: number[][] = []
  for (const [index, value] of values.entries()) {
    const group = groups.find(([first = 0]) => fingerprints.isEqual(values[first], value))
    if (group === undefined) groups.push([index])
    else group.push(index)
  }
  return groups
}
