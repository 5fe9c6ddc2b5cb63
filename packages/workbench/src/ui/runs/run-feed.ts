import type { RunList } from '../../api.ts'
import type { RunSummary } from '../../run.ts'

/** The runs that a page has loaded, newest first: a head that is read again and again, and older ones below it. */
export interface Feed {
  /** The key of the filter. */
  readonly key: string
  /** The head that was taken in last; undefined before the first. */
  readonly head: RunList | undefined
  readonly runs: readonly RunSummary[]
  readonly hasMore: boolean
}

/** Nothing is known yet. */
export const EMPTY_FEED: Feed = { key: '', head: undefined, runs: [], hasMore: false }

/** Is the run of this id older? A longer id is that of a later run. */
export function isOlder(id: string, than: string): boolean {
  return id.length === than.length ? id < than : id.length < than.length
}

/** Adds the newest runs. A run that is not among them, but not older than they are, was deleted. */
export function withHead(feed: Feed, key: string, head: RunList): Feed {
  const oldest = head.runs.at(-1)
  const newest = feed.runs[0]
  const isNext = key === feed.key && head.hasMore && oldest !== undefined && newest !== undefined
  // If so many came at once that there is a gap between head and rest, the rest is dropped.
  const rest = isNext && !isOlder(newest.id, oldest.id) ? feed.runs.filter(({ id }) => isOlder(id, oldest.id)) : []
  return { key, head, runs: [...head.runs, ...rest], hasMore: rest.length > 0 ? feed.hasMore : head.hasMore }
}

/** Takes in what is older than the last run. */
export function withOlder(feed: Feed, { runs, hasMore }: Pick<RunList, 'runs' | 'hasMore'>): Feed {
  const last = feed.runs.at(-1)
  const older = last === undefined ? runs : runs.filter(({ id }) => isOlder(id, last.id))
  return { ...feed, runs: [...feed.runs, ...older], hasMore }
}

/** Replaces a run that is in the feed. */
export function withRun(feed: Feed, run: RunSummary): Feed {
  return { ...feed, runs: feed.runs.map((one) => (one.id === run.id ? run : one)) }
}

/** The runs to show while those newer than `top` are held back, and how many are held back. */
export function pausedAt({ runs }: Feed, top: string | null): { shown: readonly RunSummary[]; held: number } {
  const shown = top === null ? runs : runs.filter(({ id }) => !isOlder(top, id))
  // If all shown runs were deleted, nothing is held back.
  return shown.length === 0 ? { shown: runs, held: 0 } : { shown, held: runs.length - shown.length }
}
