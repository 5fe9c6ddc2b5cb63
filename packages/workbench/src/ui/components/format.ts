/** Formats milliseconds as `0.4 ms`, `41 ms`, `1.24 s` or `2 min 5 s`. */
export function toDuration(ms: number): string {
  // The limits take rounding into account, so that a duration is never shown as 1000 ms or 60 s.
  if (ms < 999.5) return `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Formats bytes as `64 B`, `1.2 kB` or `5.0 MB`. */
export function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Formats a count with separators, as in `10,000`. */
export function toCount(count: number): string {
  return count.toLocaleString('en')
}

/** Formats a number of chunks as `1 chunk` or `10,000 chunks`. */
export function toChunks(count: number): string {
  return `${toCount(count)} ${count === 1 ? 'chunk' : 'chunks'}`
}

/** Formats a time as the time of day, with the date unless it is today. */
export function toTimestamp(time: number, now: number = Date.now()): string {
  const date = new Date(time)
  const clock = date.toLocaleTimeString(undefined, { hour12: false })
  return date.toDateString() === new Date(now).toDateString() ? clock : `${date.toLocaleDateString()} ${clock}`
}

/** Returns a quantile, as in `quantile(times, 0.95)`, or 0 if there are no values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0
}
