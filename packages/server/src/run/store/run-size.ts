import { RUN_LIMITS } from '../run-limits.ts'
import type { StoredRun } from './run-store.ts'

/** Returns the size of the data of runs, in characters of JSON. */
export function sizeOfRuns(runs: readonly Pick<StoredRun, 'input' | 'output' | 'waiting' | 'error'>[]): number {
  return runs.reduce(
    (sum, run) => [run.input, run.output, run.waiting, run.error].reduce((all, text) => all + (text?.length ?? 0), sum),
    0,
  )
}

/** Returns the runs of a page, which ends early if their data is large. The first run is always included. */
export function cutRuns(runs: readonly StoredRun[]): StoredRun[] {
  let size = 0
  return runs.filter((run) => {
    const isIncluded = size < RUN_LIMITS.list
    size += sizeOfRuns([run])
    return isIncluded
  })
}
