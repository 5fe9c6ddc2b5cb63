import { randomBytes } from 'node:crypto'

/** The number of ids per millisecond. Further runs use ids from the next millisecond. */
const IDS_PER_MS = 1_000

/** A generator for run ids, which sort by time and are unique across processes. */
export class RunIds {
  readonly #salt = randomBytes(4).readUInt32BE().toString(36).padStart(7, '0').slice(-4)
  #last = 0

  /**
   * Returns the number of a new run. Its id is created from this number only on demand, since that is expensive.
   * Numbers always increase, even if the clock is set back, since later runs must sort after earlier ones.
   */
  next(startedAt: number): number {
    return (this.#last = Math.max(this.#last + 1, startedAt * IDS_PER_MS))
  }

  toId(sequence: number): string {
    const ms = Math.floor(sequence / IDS_PER_MS)
    return `${ms.toString(36).padStart(9, '0')}${(sequence % IDS_PER_MS).toString(36).padStart(5, '0')}${this.#salt}`
  }
}
