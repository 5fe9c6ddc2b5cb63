import type { RunSummary } from '../../run.ts'
import { quantile } from '../components/format.ts'

const MAX_POINTS = 30

/** Returns statistics for a route. `runs` must be sorted newest first. */
export function statsOf(runs: readonly RunSummary[], route: string) {
  const own = runs.filter((run) => run.route === route)
  const times = own.flatMap(({ state, ms }) => (state === 'done' && ms !== null ? [ms] : []))
  return {
    count: own.length,
    /** The start time of the newest run, or null if there are no runs. */
    lastAt: own[0]?.startedAt ?? null,
    /** The median duration of successful runs in ms, or null if there are none. */
    p50: times.length === 0 ? null : quantile(times, 0.5),
    failed: own.filter(({ state }) => state === 'failed').length,
    refused: own.filter(({ state }) => state === 'refused').length,
    /** The durations of successful runs, oldest first. */
    times: times.slice(0, MAX_POINTS).toReversed(),
  }
}
