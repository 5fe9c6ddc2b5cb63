import type { SocketLimits } from './limits.ts'

type RateLimit = Required<SocketLimits>['rate']

/**
 * Returns a client's byte limit: the maximum message size per second, but at least 1 MiB, and four times that as a
 * burst. Without this limit, 50 messages of 1 MiB per second, or many other frames, would starve other clients.
 */
export function bytesRate({ payload, rate }: Pick<Required<SocketLimits>, 'payload' | 'rate'>): RateLimit {
  const perSecond = Math.max(payload, 1_048_576)
  return rate === false ? false : { perSecond, burst: 4 * perSecond }
}

/** A token bucket for the messages from one client. */
export class MessageRate {
  readonly #rate: RateLimit
  #tokens: number
  #at = 0

  constructor(rate: RateLimit) {
    this.#rate = rate
    this.#tokens = rate === false ? 0 : rate.burst
  }

  /** Whether there is no limit. If so, callers do not need to read the clock. */
  get isUnlimited(): boolean {
    return this.#rate === false
  }

  /** Consumes the tokens for one message, or for `cost` bytes. Returns the time to wait for them, in ms. */
  consume(now: number, cost = 1): number {
    if (this.#rate === false) return 0
    const { perSecond, burst } = this.#rate
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) * perSecond) / 1000) - cost
    this.#at = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / perSecond
  }

  /** Refunds the token for a rejected message. */
  refund(): void {
    this.#tokens += 1
  }
}
