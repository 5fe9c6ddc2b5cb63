import { toSummary, type Run, type RunError, type RunSummary } from '../run.ts'
import type { Place, Segment } from './segments.ts'

/** A run that is on disk. */
export interface Entry {
  summary: RunSummary
  thrown: RunError | null
  place: Place
}

/** What is on disk, by id, and how much of each file is still of use. */
export class RunIndex {
  readonly #entries = new Map<string, Entry>()
  /** The bytes in use. */
  readonly #segments = new Map<Segment, number>()
  #isSorted = true
  #lastId = ''

  get(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  set(run: Run, place: Place): void {
    this.#forgetPlace(run.id)
    const { thrown } = run
    this.#isSorted &&= run.id >= this.#lastId || this.#entries.has(run.id)
    this.#lastId = run.id
    this.#entries.set(run.id, { summary: toSummary(run), thrown, place })
    this.#segments.set(place.segment, (this.#segments.get(place.segment) ?? 0) + place.bytes)
  }

  /** A file that may hold nothing of use. */
  addSegment(segment: Segment): void {
    if (!this.#segments.has(segment)) this.#segments.set(segment, 0)
  }

  delete(id: string): void {
    this.#forgetPlace(id)
    this.#entries.delete(id)
  }

  deleteSegment(segment: Segment): void {
    this.#segments.delete(segment)
  }

  /** Sorted by id. */
  entries(): Entry[] {
    if (!this.#isSorted) this.#sort()
    return [...this.#entries.values()]
  }

  /** The oldest first. */
  segments(): { segment: Segment; used: number }[] {
    return Array.from(this.#segments, ([segment, used]) => ({ segment, used }))
  }

  /** Of all files that are ours, whether in use or not. */
  bytes(): number {
    return this.segments().reduce((sum, { segment }) => sum + (segment.isForeign ? 0 : segment.size), 0)
  }

  /** Of what is of use in them. */
  used(): number {
    return this.segments().reduce((sum, { segment, used }) => sum + (segment.isForeign ? 0 : used), 0)
  }

  #forgetPlace(id: string): void {
    const place = this.#entries.get(id)?.place
    if (place === undefined) return
    this.#segments.set(place.segment, (this.#segments.get(place.segment) ?? 0) - place.bytes)
  }

  #sort(): void {
    const sorted = [...this.#entries].toSorted(([a], [b]) => (a < b ? -1 : 1))
    this.#entries.clear()
    for (const [id, entry] of sorted) this.#entries.set(id, entry)
    this.#isSorted = true
    this.#lastId = sorted.at(-1)?.[0] ?? ''
  }
}
