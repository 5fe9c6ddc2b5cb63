import { availableParallelism } from 'node:os'
import { Failure } from '../failure.ts'

/** The maximum number of workers. */
const MAX_WORKERS = 128

/** Parses the number of workers. `auto` is the number of cores. Returns 1 if it is missing or empty. */
export function parseWorkers(text: string | undefined): number {
  if (text === undefined || text === '') return 1
  if (text === 'auto') return availableParallelism()
  const count = Number(text)
  if (isWorkerCount(count)) return count
  throw new Failure(
    `the number of workers must be auto or a number from 1 to ${MAX_WORKERS}, got ${JSON.stringify(text)}`,
    {
      code: 'INVALID_WORKERS',
      fix: 'set --workers, WORKERS, or workers in sdk.config.ts, for example sdk start --workers auto',
    },
  )
}

/** Returns whether a value is a valid number of workers. */
export function isWorkerCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_WORKERS
}
