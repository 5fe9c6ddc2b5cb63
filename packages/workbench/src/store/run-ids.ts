import { randomBytes } from 'node:crypto'

/** Gives ids that sort by time, and that no other process gives. */
export function createRunIds(): (startedAt: number) => string {
  const salt = randomBytes(4).readUInt32BE().toString(36).padStart(7, '0').slice(-4)
  let last = 0
  let count = 0
  return (startedAt) => {
    // A clock that is set back must not bring later runs before earlier ones.
    count = startedAt > last ? 0 : count + 1
    last = Math.max(last, startedAt)
    return `${last.toString(36).padStart(9, '0')}${count.toString(36).padStart(5, '0')}${salt}`
  }
}
