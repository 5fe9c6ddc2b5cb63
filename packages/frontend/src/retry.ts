import { backoffDelay, type BackoffOptions } from './backoff.ts'
import type { Clock } from './clock.ts'

/** When a lost connection is tried again. */
export interface RetrySettings {
  /** How long to wait, where the server does not ask for more. @default base 500, max 20_000, min 50 */
  backoff?: BackoffOptions | undefined
  /** The least wait in ms where the server asked for patience. @default 5_000 */
  laterMs?: number | undefined
  /** After so long open in ms, a connection counts as stable, and failures count from zero again. @default 10_000 */
  stableMs?: number | undefined
  /** A page that wakes up tries at once, but not so soon after the last attempt in ms. @default 1_000 */
  wakeMs?: number | undefined
}

/** The next attempt, and when it is due. */
export interface Retry {
  /** After so many ms. */
  after(ms: number): void
  /** At once, or as soon as may be; ends a rest. */
  hurry(): void
  /** After a failure; `isLater` where the server asked for patience. */
  again(isLater: boolean): void
  /** The connection is open; the server wants first retries spread over so many ms. */
  opened(spreadMs: number): void
  /** Was the connection that is lost a stable one? */
  wasStable(): boolean
  /** No attempt is due, until `hurry`. */
  rest(): void
}

/** Calls `run` for every attempt. */
export function createRetry(options: RetrySettings & { clock: Clock }, run: () => void): Retry {
  const { clock, backoff, laterMs = 5000, stableMs = 10_000, wakeMs = 1000 } = options
  let failures = 0
  let spread = 0
  let openedAt = Infinity
  let notBefore = clock.now() + wakeMs
  let isResting = false
  let stop = (): void => {}

  return {
    after,
    hurry() {
      isResting = false
      after(Math.max(0, notBefore - clock.now()))
    },
    again(isLater) {
      // The server knows how many clients it has, so it says over how long the first retries spread.
      const base = Math.max(backoff?.base ?? 500, failures === 0 ? spread : 0)
      const delay = backoffDelay(failures++, { ...backoff, base })
      if (isLater) notBefore = clock.now() + laterMs
      after(isLater ? Math.max(laterMs, delay) : delay)
    },
    opened(spreadMs) {
      spread = spreadMs
      openedAt = clock.now()
    },
    wasStable() {
      const isStable = clock.now() - openedAt >= stableMs
      if (isStable) failures = 0
      openedAt = Infinity
      return isStable
    },
    rest() {
      isResting = true
      stop()
    },
  }

  function after(ms: number): void {
    stop()
    if (isResting) return
    stop = clock.after(ms, () => {
      notBefore = clock.now() + wakeMs
      run()
    })
  }
}
