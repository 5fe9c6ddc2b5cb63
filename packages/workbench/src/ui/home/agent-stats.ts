import type { RunSummary } from '../../run.ts'
import { quantile } from '../parts/figures.ts'

/** How an agent did in the runs that are looked at. */
export interface AgentStats {
  readonly count: number
  /** When the newest began; null: it never ran. */
  readonly lastAt: number | null
  /** Half of the finished ones took no longer, in ms; null where none is finished. */
  readonly p50: number | null
  readonly failed: number
  /** How long they took, from the oldest to the newest. */
  readonly times: readonly number[]
}

/** More points than this make no better line. */
const MAX_TIMES = 30

/** The figures of a route, from runs of which the newest is the first. */
export function statsOf(runs: readonly RunSummary[], route: string): AgentStats {
  const own = runs.filter((run) => run.route === route)
  const times = own.flatMap(({ state, ms }) => (state === 'done' && ms !== null ? [ms] : []))
  return {
    count: own.length,
    lastAt: own[0]?.startedAt ?? null,
    p50: times.length === 0 ? null : quantile(times, 0.5),
    failed: own.filter(({ state }) => state === 'failed').length,
    times: times.slice(0, MAX_TIMES).toReversed(),
  }
}
