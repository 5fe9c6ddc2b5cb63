import { unref } from '../platform/unref-timer.ts'

const INTERVAL_MS = 1_000
/**
 * The minimum time between two checks that counts as a standstill, in ms. It is longer than the check interval of a
 * running process, and shorter than the delay after which a client reconnects.
 */
const STANDSTILL_MS = 4_000

/** A counter of process suspensions, e.g. by SIGSTOP. Afterwards, clients may have moved to another process. */
export class StandstillCounter {
  readonly #now: () => number
  #timer: ReturnType<typeof setInterval> | undefined
  #seenAt = 0
  #count = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Updates and returns the count. Sessions also call it, because after a suspension, pending messages are handled
   * before any timer runs. The first session starts the timer: some platforms allow none before the first request.
   */
  count(): number {
    const now = this.#now()
    if (this.#timer === undefined) {
      this.#timer = unref(setInterval(() => this.count(), INTERVAL_MS))
      this.#seenAt = now
    }
    if (now - this.#seenAt > STANDSTILL_MS) this.#count += 1
    this.#seenAt = now
    return this.#count
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
