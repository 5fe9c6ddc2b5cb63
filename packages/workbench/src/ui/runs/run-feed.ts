import type { RunList } from '../../api.ts'
import type { RunSummary } from '../../run.ts'

/** The runs that a page has loaded, newest first: the head, which is refreshed, followed by older runs. */
export interface Feed {
  /** The key that identifies the filter. */
  readonly key: string
  /** The latest head, or undefined until it is loaded. */
  readonly head: RunList | undefined
  readonly runs: readonly RunSummary[]
  readonly hasMore: boolean
}

/** The feed before the first load. */
export const EMPTY_FEED: Feed = { key: '', head: undefined, runs: [], hasMore: false }

/** Returns whether the run `id` is older than the run `than`. A longer id is always newer. */
export function isOlder(id: string, than: string): boolean {
  return id.length === than.length ? id < than : id.length < than.length
}

/** Replaces the head and keeps older runs. Newer runs that are missing from the new head have been deleted. */
export function withHead(feed: Feed, key: string, head: RunList): Feed {
  const oldest = head.runs.at(-1)
  const newest = feed.runs[0]
  const isNext = key === feed.key && head.hasMore && oldest !== undefined && newest !== undefined
  // If there is a gap between the head and the older runs because many runs are new, the older runs are dropped.
  const rest = isNext && !isOlder(newest.id, oldest.id) ? feed.runs.filter(({ id }) => isOlder(id, oldest.id)) : []
  return { key, head, runs: [...head.runs, ...rest], hasMore: rest.length > 0 ? feed.hasMore : head.hasMore }
}

/** Adds older runs at the end. */
export function withOlder(feed: Feed, { runs, hasMore }: Pick<RunList, 'runs' | 'hasMore'>): Feed {
  const last = feed.runs.at(-1)
  const older = last === undefined ? runs : runs.filter(({ id }) => isOlder(id, last.id))
  return { ...feed, runs: [...feed.runs, ...older], hasMore }
}

/** Replaces a run in the feed. */
export function withRun(feed: Feed, run: RunSummary): Feed {
  return { ...feed, runs: feed.runs.map((one) => (one.id === run.id ? run : one)) }
}

/** Returns the runs to show while runs newer than `top` are held back, and the number of runs held back. */
export function pausedAt({ runs }: Feed, top: string | null): { shown: readonly RunSummary[]; held: number } {
  const shown = top === null ? runs : runs.filter(({ id }) => !isOlder(top, id))
  // If all shown runs were deleted, nothing is held back.
  return shown.length === 0 ? { shown: runs, held: 0 } : { shown, held: runs.length - shown.length }
}
