import type { Chunk, StreamRecording } from './recording.ts'

/** All chunks that share the same pixel on a time axis. */
export interface Tick {
  /** The distance from the left, in px. */
  readonly x: number
  readonly bytes: number
  readonly count: number
}

/**
 * Converts chunks to ticks on an axis that is `width` px wide and ends at `end` ms, with at most one tick per pixel.
 */
export function toTicks(chunks: readonly Chunk[], end: number, width: number): Tick[] {
  const ticks: Tick[] = []
  for (const { at, bytes } of chunks) {
    const x = toX(at, end, width)
    const last = ticks.at(-1)
    if (last?.x === x) ticks[ticks.length - 1] = { x, bytes: last.bytes + bytes, count: last.count + 1 }
    else ticks.push({ x, bytes, count: 1 })
  }
  return ticks
}

/** Returns the position of a time on an axis, rounded to whole pixels. */
export function toX(at: number, end: number, width: number): number {
  return Math.round(Math.min(1, Math.max(0, at / end)) * Math.max(0, width - 1))
}

/** Returns the end of the axis in ms. It is never 0, and never before the last chunk. */
export function endOf({ chunks, total, headAt }: StreamRecording, now: number = 0): number {
  return Math.max(total ?? now, chunks.at(-1)?.at ?? 0, headAt ?? 0, 1)
}

/** Returns all ticks as a single SVG path, since one element is drawn faster than a thousand. */
export function toTickPath(ticks: readonly Tick[], height: number): string {
  const most = ticks.reduce((max, { bytes }) => Math.max(max, bytes), 1)
  const least = height / 5
  return ticks
    .map(({ x, bytes }) => `M${x + 0.5} ${height}V${roundPixel(height - least - (height - least) * (bytes / most))}`)
    .join('')
}

/** Returns the number of chunks up to a time. */
export function countAt(chunks: readonly { readonly at: number }[], time: number): number {
  let low = 0
  let high = chunks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((chunks[middle]?.at ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the index of the chunk that is nearest to a time, or -1 if there are no chunks. */
export function nearestTo(chunks: readonly Chunk[], time: number): number {
  const after = countAt(chunks, time)
  const [before, next] = [chunks[after - 1], chunks[after]]
  if (before === undefined) return next === undefined ? -1 : 0
  return next !== undefined && next.at - time < time - before.at ? after : after - 1
}

function roundPixel(value: number): number {
  return Math.round(value * 10) / 10
}
