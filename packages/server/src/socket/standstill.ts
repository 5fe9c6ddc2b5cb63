import { unref } from '../platform/unref-timer.ts'

const INTERVAL_MS = 1_000
/** A process that runs looks at the clock more often than this, and a client waits longer before it goes elsewhere. */
const STANDSTILL_MS = 4_000

/** Counts how often the process stood still, as by SIGSTOP: meanwhile its clients may have moved to another one. */
export class StandstillCounter {
  readonly #now: () => number
  readonly #timer: ReturnType<typeof setInterval>
  #seenAt: number
  #count = 0

  constructor(now: () => number) {
    this.#now = now
    this.#seenAt = now()
    this.#timer = unref(setInterval(() => this.count(), INTERVAL_MS))
  }

  /** Returns the count. It is read where messages are handled, since what waited is handled before any timer runs. */
  count(): number {
    const now = this.#now()
    if (now - this.#seenAt > STANDSTILL_MS) this.#count += 1
    this.#seenAt = now
    return this.#count
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
