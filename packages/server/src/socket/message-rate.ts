import type { SocketLimits } from './limits.ts'

type RateLimit = Required<SocketLimits>['rate']

/**
 * The bytes that one client may send: as many a second as its largest message has, and four times that at once. Else 50
 * messages of 1 MiB a second, or frames that are no messages, would leave the others no time.
 */
export function bytesRate({ payload, rate }: Pick<Required<SocketLimits>, 'payload' | 'rate'>): RateLimit {
  const perSecond = Math.max(payload, 1_048_576)
  return rate === false ? false : { perSecond, burst: 4 * perSecond }
}

/** How fast one client may go on sending. */
export class MessageRate {
  readonly #rate: RateLimit
  #tokens: number
  #at = 0

  constructor(rate: RateLimit) {
    this.#rate = rate
    this.#tokens = rate === false ? 0 : rate.burst
  }

  /** Takes one message, or so many bytes, into account; how long to wait until it is due, in ms. */
  consume(now: number, cost = 1): number {
    if (this.#rate === false) return 0
    const { perSecond, burst } = this.#rate
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) * perSecond) / 1000) - cost
    this.#at = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / perSecond
  }

  /** It was not let through, so it does not count. */
  refund(): void {
    this.#tokens += 1
  }
}
