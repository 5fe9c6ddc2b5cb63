import type { RunFilter, RunList } from '../api.ts'
import type { RunSummary } from '../run.ts'

/** The default and maximum number of runs per page. */
const DEFAULT_LIMIT = 50
const MAX_LIMIT = 500

/** Returns a page of runs, newest first. `all` must be sorted by id. */
export function listRuns(all: readonly RunSummary[], filter: RunFilter = {}): RunList {
  const limit = Math.min(Math.max(1, filter.limit ?? DEFAULT_LIMIT), MAX_LIMIT)
  const matching = all.filter(createMatch(filter))
  const runs = matching.slice(-limit).toReversed()
  const callers = [...new Set(all.map(({ caller }) => caller))].toSorted()
  return { runs, hasMore: matching.length > limit, callers, total: all.length, matching: matching.length }
}

function createMatch(filter: RunFilter): (run: RunSummary) => boolean {
  const { route, status, caller, identity, slower, requestId, durableRun, before } = filter
  const search = filter.search?.toLowerCase()
  return (run) =>
    (before === undefined || run.id < before) &&
    (route === undefined || run.route === route || run.via === route) &&
    (status === undefined || run.state === status || String(run.status) === status) &&
    (caller === undefined || run.caller === caller) &&
    (identity === undefined || isCalledBy(run, identity)) &&
    (slower === undefined || (run.ms ?? 0) >= slower) &&
    (requestId === undefined || run.requestId === requestId) &&
    (durableRun === undefined || run.durableRun === durableRun) &&
    (search === undefined || [run.route, run.target, run.error].some((text) => text?.toLowerCase().includes(search)))
}

function isCalledBy({ identity }: RunSummary, wanted: string): boolean {
  if (identity === null) return wanted === 'anonymous'
  return identity.userId === wanted || identity.email === wanted
}
