import { settlesWithin } from '../platform/settles-within.ts'
import type { ApiError } from '@sdk/protocol'
import { httpError } from '../http/http-error.ts'

/**
 * A function that runs changes to the same row one at a time, in order of arrival, because a concurrent change would
 * invalidate the row that the others have read. Each change looks up the row immediately, and fails immediately if the
 * row does not exist. `hasWaited` means that the row may have changed since the lookup.
 */
export type WithRowLock = <Found, T>(
  id: number,
  finding: Promise<Found>,
  work: (found: Found, hasWaited: boolean) => Promise<T>,
) => Promise<T>

/** Creates a lock per row, within this process. Across processes, the row's version prevents lost updates. */
export function createRowLock(timeoutMs = 5_000): WithRowLock {
  const last = new Map<number, Promise<void>>()
  return async (id, finding, work) => {
    const before = last.get(id)
    let end = (): void => {}
    const mine = new Promise<void>((resolve) => {
      end = resolve
    })
    last.set(id, mine)
    const leave = (): void => {
      if (last.get(id) === mine) last.delete(id)
      end()
    }
    let hasTurn = before === undefined
    try {
      const found = await finding
      if (before !== undefined) await settlesWithin(before, timeoutMs)
      hasTurn = true
      return await work(found, before !== undefined)
    } finally {
      // If a change fails before it gets the lock, later changes must still wait for the earlier ones.
      if (hasTurn || before === undefined) leave()
      else void before.then(leave)
    }
  }
}

/** The error of a write whose row has changed since it was read. */
export class StaleRow extends Error {}

/** Calls `attempt` again with the current row as long as it throws `StaleRow`. */
export async function retryStale<T>(attempt: (isFirst: boolean) => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MAX_CHANGE_ATTEMPTS; tries++) {
    try {
      return await attempt(tries === 0)
    } catch (error) {
      if (!(error instanceof StaleRow)) throw error
    }
  }
  throw changedTooOften()
}

/** The maximum number of attempts to change a row under contention. In each round, one of the changes succeeds. */
export const MAX_CHANGE_ATTEMPTS = 200

/** Creates the error for a change that failed because of too many concurrent updates. */
export function changedTooOften(): ApiError {
  return httpError('SERVICE_UNAVAILABLE', 'too many concurrent updates', { retryAfter: 1 })
}
