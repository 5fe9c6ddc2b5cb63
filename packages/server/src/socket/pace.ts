import type { SocketLimits } from './limits.ts'

/** How fast one client may go on sending. */
export class Pace {
  readonly #rate: Required<SocketLimits>['rate']
  #tokens: number
  #at = 0

  constructor(rate: Required<SocketLimits>['rate']) {
    this.#rate = rate
    this.#tokens = rate === false ? 0 : rate.burst
  }

  /** Takes one message into account; how long to wait until it is due, in ms. */
  take(now: number): number {
    if (this.#rate === false) return 0
    const { perSecond, burst } = this.#rate
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) * perSecond) / 1000) - 1
    this.#at = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / perSecond
  }

  /** It was not let through, so it does not count. */
  giveBack(): void {
    this.#tokens += 1
  }
}
