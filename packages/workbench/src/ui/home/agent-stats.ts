import type { RunSummary } from '../../run.ts'
import { quantile } from '../components/format.ts'

/** Statistics of an agent's latest runs. */
export interface AgentStats {
  readonly count: number
  /** When the newest began; null: it never ran. */
  readonly lastAt: number | null
  /** The median duration of finished runs, in ms; null where there is none. */
  readonly p50: number | null
  readonly failed: number
  /** How long they took, from the oldest to the newest. */
  readonly times: readonly number[]
}

const MAX_POINTS = 30

/** The statistics of a route, from runs with the newest first. */
export function statsOf(runs: readonly RunSummary[], route: string): AgentStats {
  const own = runs.filter((run) => run.route === route)
  const times = own.flatMap(({ state, ms }) => (state === 'done' && ms !== null ? [ms] : []))
  return {
    count: own.length,
    lastAt: own[0]?.startedAt ?? null,
    p50: times.length === 0 ? null : quantile(times, 0.5),
    failed: own.filter(({ state }) => state === 'failed').length,
    times: times.slice(0, MAX_POINTS).toReversed(),
  }
}
