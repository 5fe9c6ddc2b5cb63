import type { AfterClose } from '@sdk/protocol'
import { reconnectDelay, type BackoffOptions } from '../backoff.ts'
import type { HeartbeatOptions } from './heartbeat.ts'

/** The timing of reconnects. */
export interface ReconnectSettings {
  /** The reconnection delay, unless the server requests a longer delay. @default base 500, max 20_000, min 50 */
  backoff?: BackoffOptions | undefined
  /** The additional delay in ms if the server asks the client to retry later. @default 5_000 */
  laterMs?: number | undefined
  /** The time in ms after which an open connection counts as stable and the failure count is reset. @default 10_000 */
  stableMs?: number | undefined
  /** The minimum time in ms between two attempts when the page becomes visible. @default 1_000 */
  wakeMs?: number | undefined
}

/** The schedule of connection attempts. */
export interface Reconnect {
  /**
   * Leaves a server that is shutting down: waits `ms`, then up to ten more seconds for the server to acknowledge all
   * messages. Returns the deadline.
   */
  leave(ms: number): number
  /** Retries now, or as soon as `wakeMs` allows. */
  retryNow(): void
  /**
   * Records that a connection has opened. After it is lost, the first retry is delayed by a random time of up to
   * `spreadMs`, which the server sets.
   */
  opened(spreadMs: number): void
  /** Schedules the next attempt after a lost or failed connection. Returns false if the client must not reconnect. */
  lost(then: AfterClose): boolean
  stop(): void
}

/** The maximum time in ms that a server may take to acknowledge messages before it shuts down. */
const MAX_DRAIN_MS = 10_000

/** The interval in ms at which to check for unacknowledged messages. */
const DRAIN_CHECK_MS = 10

/** Creates a schedule that calls `open` for every attempt, with `force` if the token was rejected. */
export function createReconnect(
  options: ReconnectSettings & Pick<HeartbeatOptions, 'clock' | 'waitingSince'>,
  open: (force: boolean) => void,
): Reconnect {
  const { clock, waitingSince, backoff, laterMs = 5000, stableMs = 10_000, wakeMs = 1000 } = options
  let failures = 0
  let wasTokenRefused = false
  let spread = 0
  let openedAt = Infinity
  let notBefore = clock.now() + wakeMs
  let leaveBy = 0
  let stop: (() => void) | undefined

  return {
    leave(ms) {
      after(ms)
      return (leaveBy = clock.now() + ms + MAX_DRAIN_MS)
    },
    // The delay is bounded because the clock may have been set back.
    retryNow: () => after(Math.min(notBefore - clock.now(), laterMs + wakeMs)),
    opened(spreadMs) {
      stop?.()
      spread = spreadMs
      openedAt = clock.now()
    },
    lost(then) {
      if (clock.now() - openedAt >= stableMs) {
        failures = 0
        wasTokenRefused = false
      }
      openedAt = Infinity
      if (then === 'finish' || then === 'stop' || (then === 'refresh' && wasTokenRefused)) return false
      // After any other close, it is unknown whether the server accepted the new token.
      wasTokenRefused = then === 'refresh'
      if (wasTokenRefused) open(true)
      else scheduleRetry(then === 'retry-later')
      return true
    },
    stop: () => stop?.(),
  }

  function scheduleRetry(isLater: boolean): void {
    let delay = reconnectDelay(failures++, spread, backoff)
    leaveBy = 0
    if (isLater) {
      notBefore = clock.now() + laterMs
      // Added to the random delay, so that clients rejected together do not reconnect together.
      delay += laterMs
    }
    after(delay)
  }

  function after(ms: number): void {
    stop?.()
    stop = clock.after(ms, () => {
      // Waits for acknowledgements: otherwise, the next server would handle the messages again.
      if (waitingSince?.() && clock.now() < leaveBy) return after(DRAIN_CHECK_MS)
      notBefore = clock.now() + wakeMs
      open(false)
    })
  }
}
