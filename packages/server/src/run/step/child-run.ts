import { errorOf } from '../run-error.ts'
import { START_KEY_PREFIX } from '../run-limits.ts'
import type { NewRun, SentEvent, StoredRun } from '../store/run-store.ts'

const CALL_KEY = new RegExp(`^${START_KEY_PREFIX}call ([0-9a-f]{32})/`)

/** Returns the key of the run that a run calls in a step. */
export function toCallKey(run: string, step: string): string {
  return `call ${run}/${step}`
}

/** Returns the event that a run sends to its caller when it has ended, or null if it was not called by another run. */
export function toEndEvent({ id, key }: Pick<NewRun, 'id' | 'key'>): SentEvent | null {
  const run = CALL_KEY.exec(key ?? '')?.[1]
  return run === undefined ? null : { run, key: toEndKey(id), value: null, print: '' }
}

/** Returns the key of the event that a run has ended. */
export function toEndKey(id: string): string {
  return `#end ${id}`
}

/** Returns the end of a run as JSON. */
export function serializeEnd(run: Pick<StoredRun, 'status' | 'output' | 'error'> | null): string {
  const { status, output, error } = run ?? { status: 'cancelled', output: null, error: null }
  return JSON.stringify({ status, output, error })
}

/** Returns the result of a run that has ended. Throws its error if it has failed. */
export function parseEnd(end: string | null): unknown {
  const run = JSON.parse(end ?? 'null') as Pick<StoredRun, 'status' | 'output' | 'error'>
  const error = errorOf(run)
  if (error !== null) throw error
  return run.output === null ? undefined : JSON.parse(run.output)
}
