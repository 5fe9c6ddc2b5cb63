import type { RunList } from '../../api.ts'
import type { RunSummary } from '../../run.ts'

/** The runs that a page has loaded, newest first: a head that is refreshed, and older ones below it. */
export interface Feed {
  /** The key of the filter. */
  readonly key: string
  /** The last head; undefined before the first. */
  readonly head: RunList | undefined
  readonly runs: readonly RunSummary[]
  readonly hasMore: boolean
}

/** The feed before the first load. */
export const EMPTY_FEED: Feed = { key: '', head: undefined, runs: [], hasMore: false }

/** Returns whether the run of this id is older. Longer ids are later. */
export function isOlder(id: string, than: string): boolean {
  return id.length === than.length ? id < than : id.length < than.length
}

/** Adds the newest runs. Runs that are missing in the head but not older than it were deleted. */
export function withHead(feed: Feed, key: string, head: RunList): Feed {
  const oldest = head.runs.at(-1)
  const newest = feed.runs[0]
  const isNext = key === feed.key && head.hasMore && oldest !== undefined && newest !== undefined
  // If many new runs leave a gap between the head and the rest, the rest is dropped.
  const rest = isNext && !isOlder(newest.id, oldest.id) ? feed.runs.filter(({ id }) => isOlder(id, oldest.id)) : []
  return { key, head, runs: [...head.runs, ...rest], hasMore: rest.length > 0 ? feed.hasMore : head.hasMore }
}

/** Adds older runs at the end. */
export function withOlder(feed: Feed, { runs, hasMore }: Pick<RunList, 'runs' | 'hasMore'>): Feed {
  const last = feed.runs.at(-1)
  const older = last === undefined ? runs : runs.filter(({ id }) => isOlder(id, last.id))
  return { ...feed, runs: [...feed.runs, ...older], hasMore }
}

/** Replaces a run of the feed. */
export function withRun(feed: Feed, run: RunSummary): Feed {
  return { ...feed, runs: feed.runs.map((one) => (one.id === run.id ? run : one)) }
}

/** Returns the runs to show while those newer than `top` are held back, and the number of held back runs. */
export function pausedAt({ runs }: Feed, top: string | null): { shown: readonly RunSummary[]; held: number } {
  const shown = top === null ? runs : runs.filter(({ id }) => !isOlder(top, id))
  // If all shown runs were deleted, nothing is held back.
  return shown.length === 0 ? { shown: runs, held: 0 } : { shown, held: runs.length - shown.length }
}
