/** Milliseconds for people: `0.4 ms`, `41 ms`, `1.24 s`, `2 min 5 s`. */
export function toDuration(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** Bytes for people: `64 B`, `1.2 kB`, `5.0 MB`. */
export function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A moment for people: the time of day where it was today, else the day too. */
export function toMoment(time: number, now: number = Date.now()): string {
  const date = new Date(time)
  const clock = date.toLocaleTimeString(undefined, { hour12: false })
  return date.toDateString() === new Date(now).toDateString() ? clock : `${date.toLocaleDateString()} ${clock}`
}

/** The value below which this part of the values lies: `quantile(times, 0.95)`. Zero of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
