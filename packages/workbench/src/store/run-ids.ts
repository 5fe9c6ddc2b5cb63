import { randomBytes } from 'node:crypto'

/** Gives runs their ids, which sort by time, and which no other process gives. */
export interface RunIds {
  /** The place of a run among all others: to write every id at once would cost busy servers too much. */
  next(startedAt: number): number
  /** The id of the run at a place. */
  toId(place: number): string
}

/** Runs of one millisecond that differ in time; more of them go into the next. */
const IN_A_MS = 1_000

/** Ids for the runs of this process. */
export function createRunIds(): RunIds {
  const salt = randomBytes(4).readUInt32BE().toString(36).padStart(7, '0').slice(-4)
  let last = 0
  return {
    // A clock that is set back must not bring later runs before earlier ones.
    next: (startedAt) => (last = Math.max(last + 1, startedAt * IN_A_MS)),
    toId(place) {
      const ms = Math.floor(place / IN_A_MS)
      return `${ms.toString(36).padStart(9, '0')}${(place % IN_A_MS).toString(36).padStart(5, '0')}${salt}`
    },
  }
}
