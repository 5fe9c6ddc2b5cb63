import { settlesWithin } from '../platform/settles-within.ts'
import type { ApiError } from '@sdk/protocol'
import { httpError } from '../http/http-error.ts'

/**
 * Runs changes of the same row one after the other, in the order in which they came: at the same time, each would
 * outdate what the others have read. All look for the row at once, and fail at once where there is none. `hasWaited`
 * says that the row may have changed since it was found.
 */
export type WithRowLock = <Found, T>(
  id: number,
  finding: Promise<Found>,
  work: (found: Found, hasWaited: boolean) => Promise<T>,
) => Promise<T>

/** Turns for each row, within this process; among several, the version of the row decides. */
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
      // A change that fails before its turn must not let those behind it overtake those before it.
      if (hasTurn || before === undefined) leave()
      else void before.then(leave)
    }
  }
}

/** So often a change is tried when others change the same row; each time, one of them gets through. */
export const MAX_CHANGE_ATTEMPTS = 200

/** The error for a row that others were always faster to change. */
export function changedTooOften(): ApiError {
  return httpError('SERVICE_UNAVAILABLE', 'it changes too often just now', { retryAfter: 1 })
}
