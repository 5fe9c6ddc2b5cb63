import { toSummary, type Run, type RunError, type RunSummary } from '../run.ts'
import type { RunLocation, Segment } from './segments.ts'

/** A run on disk. */
export interface IndexEntry {
  summary: RunSummary
  thrown: RunError | null
  location: RunLocation
}

/** The runs on disk by id, and the number of bytes in use in each file. */
export class RunIndex {
  readonly #entries = new Map<string, IndexEntry>()
  readonly #segments = new Map<Segment, number>()
  #isSorted = true
  #lastId = ''

  get(id: string): IndexEntry | undefined {
    return this.#entries.get(id)
  }

  set(run: Run, location: RunLocation): void {
    this.#forgetLocation(run.id)
    const { thrown } = run
    this.#isSorted &&= run.id >= this.#lastId || this.#entries.has(run.id)
    this.#lastId = run.id
    this.#entries.set(run.id, { summary: toSummary(run), thrown, location })
    this.#segments.set(location.segment, (this.#segments.get(location.segment) ?? 0) + location.bytes)
  }

  addSegment(segment: Segment): void {
    if (!this.#segments.has(segment)) this.#segments.set(segment, 0)
  }

  delete(id: string): void {
    this.#forgetLocation(id)
    this.#entries.delete(id)
  }

  deleteSegment(segment: Segment): void {
    this.#segments.delete(segment)
  }

  /** Deletes a file and its runs. */
  deleteRuns(segment: Segment): void {
    for (const [id, { location }] of this.#entries) if (location.segment === segment) this.#entries.delete(id)
    this.deleteSegment(segment)
  }

  /** Returns the entries sorted by id. */
  entries(): IndexEntry[] {
    if (!this.#isSorted) this.#sort()
    return [...this.#entries.values()]
  }

  /** Returns the files, oldest first. */
  segments(): { segment: Segment; used: number }[] {
    return Array.from(this.#segments, ([segment, used]) => ({ segment, used }))
  }

  /** Returns the total size of all files, except those that belong to other running processes. */
  bytes(): number {
    return this.segments().reduce((sum, { segment }) => sum + (segment.isForeign ? 0 : segment.size), 0)
  }

  used(): number {
    return this.segments().reduce((sum, { segment, used }) => sum + (segment.isForeign ? 0 : used), 0)
  }

  #forgetLocation(id: string): void {
    const location = this.#entries.get(id)?.location
    if (location === undefined) return
    this.#segments.set(location.segment, (this.#segments.get(location.segment) ?? 0) - location.bytes)
  }

  #sort(): void {
    const sorted = [...this.#entries].toSorted(([a], [b]) => (a < b ? -1 : 1))
    this.#entries.clear()
    for (const [id, entry] of sorted) this.#entries.set(id, entry)
    this.#isSorted = true
    this.#lastId = sorted.at(-1)?.[0] ?? ''
  }
}
