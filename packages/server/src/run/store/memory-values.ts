import { ApiError, toEnvelope } from '@sdk/protocol'
import { INLINE_SIZE, RUN_LIMITS } from '../run-limits.ts'
import type { RunEnd, RunPage, SentEvent, StoredRun, StoredValue } from './run-store.ts'

/** Returns a value that is short enough to be read together with others. */
export function toInline({ value }: Pick<SentEvent, 'value'>): StoredValue['value'] {
  return value === null || value.length <= INLINE_SIZE ? value : undefined
}

/** Returns whether a run that has these events can have no further one of this size. */
export function isFull(events: ReadonlyMap<string, SentEvent>, more: number): boolean {
  const size = Array.from(events.values()).reduce((sum, { value }) => sum + (value?.length ?? 0), more)
  return events.size >= RUN_LIMITS.events || size > RUN_LIMITS.eventsSize
}

/** Returns the index after the last chunk of a page. */
export function endOf({ first, chunks }: RunPage): number {
  return first + chunks.length
}

/** Returns the outcome of a run that has crashed too often. */
export function crashedEnd(): RunEnd {
  const message = `The run was taken over ${RUN_LIMITS.crashes} times without finishing another step`
  const error = new ApiError('RUN_CRASHES', message)
  return { status: 'failed', output: null, error: JSON.stringify({ ...toEnvelope(error).error, status: error.status }) }
}

/** Compares runs for lists, newest first. */
export function compareRuns(a: Pick<StoredRun, 'createdAt' | 'id'>, b: Pick<StoredRun, 'createdAt' | 'id'>): number {
  if (a.createdAt === b.createdAt) return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
  return a.createdAt < b.createdAt ? 1 : -1
}
