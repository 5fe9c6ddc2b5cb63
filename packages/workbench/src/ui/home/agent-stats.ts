import type { RunSummary } from '../../run.ts'
import { quantile } from '../components/format.ts'

const MAX_POINTS = 30

/** The statistics of a route, from runs with the newest first. */
export function statsOf(runs: readonly RunSummary[], route: string) {
  const own = runs.filter((run) => run.route === route)
  const times = own.flatMap(({ state, ms }) => (state === 'done' && ms !== null ? [ms] : []))
  return {
    count: own.length,
    /** When the newest began; null: it never ran. */
    lastAt: own[0]?.startedAt ?? null,
    /** The median duration of finished runs, in ms; null where there is none. */
    p50: times.length === 0 ? null : quantile(times, 0.5),
    failed: own.filter(({ state }) => state === 'failed').length,
    refused: own.filter(({ state }) => state === 'refused').length,
    /** How long they took, from the oldest to the newest. */
    times: times.slice(0, MAX_POINTS).toReversed(),
  }
}
