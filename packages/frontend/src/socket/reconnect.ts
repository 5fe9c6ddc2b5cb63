import type { AfterClose } from '@sdk/protocol'
import { reconnectDelay, type BackoffOptions } from '../backoff.ts'
import type { HeartbeatOptions } from './heartbeat.ts'

/** When a lost connection is tried again. */
export interface ReconnectSettings {
  /** How long to wait, where the server does not ask for more. @default base 500, max 20_000, min 50 */
  backoff?: BackoffOptions | undefined
  /** So much longer in ms where the server asked for patience. @default 5_000 */
  laterMs?: number | undefined
  /** After so long open in ms, a connection counts as stable, and failures count from zero again. @default 10_000 */
  stableMs?: number | undefined
  /** A page that wakes up tries at once, but not so soon after the last attempt in ms. @default 1_000 */
  wakeMs?: number | undefined
}

/** The next attempt, and when it is due. */
export interface Reconnect {
  /** The server goes away: in so many ms, when it is done with what it has, but ten seconds later at the latest. */
  leave(ms: number): void
  /** At once, or as soon as may be. */
  retryNow(): void
  /** The connection is open; the server wants first retries spread over so many ms. */
  opened(spreadMs: number): void
  /** The connection is lost, or there was none: tries again as its end demands, or says false where it must not. */
  lost(then: AfterClose): boolean
  /** No attempt is due. */
  stop(): void
}

/** Options of `createReconnect`. */
export interface ReconnectOptions extends ReconnectSettings, Pick<HeartbeatOptions, 'clock' | 'waitingSince'> {}

/** A server that goes away may take so long for what it has, in ms. */
const MAX_DRAIN_MS = 10_000

/** How often we look whether it is done, in ms. */
const DRAIN_CHECK_MS = 10

/** Calls `open` for every attempt, `force` where the token was refused. */
export function createReconnect(options: ReconnectOptions, open: (force: boolean) => void): Reconnect {
  const { clock, waitingSince, backoff, laterMs = 5000, stableMs = 10_000, wakeMs = 1000 } = options
  let failures = 0
  let wasRefused = false
  let spread = 0
  let openedAt = Infinity
  let notBefore = clock.now() + wakeMs
  let leaveBy = 0
  let stop: (() => void) | undefined

  return {
    leave(ms) {
      leaveBy = clock.now() + ms + MAX_DRAIN_MS
      after(ms)
    },
    // Bounded, as the clock may have been set back.
    retryNow: () => after(Math.min(notBefore - clock.now(), laterMs + wakeMs)),
    opened(spreadMs) {
      stop?.()
      spread = spreadMs
      openedAt = clock.now()
    },
    lost(then) {
      if (clock.now() - openedAt >= stableMs) {
        failures = 0
        wasRefused = false
      }
      openedAt = Infinity
      if (then === 'finish' || then === 'stop' || (then === 'refresh' && wasRefused)) return false
      // After any other end it is not known whether a new token would have helped.
      wasRefused = then === 'refresh'
      if (wasRefused) open(true)
      else again(then === 'retry-later')
      return true
    },
    stop: () => stop?.(),
  }

  function again(isLater: boolean): void {
    let delay = reconnectDelay(failures++, spread, backoff)
    leaveBy = 0
    if (isLater) {
      notBefore = clock.now() + laterMs
      // Added to the random wait, so that those who were sent away together do not come back together.
      delay += laterMs
    }
    after(delay)
  }

  function after(ms: number): void {
    stop?.()
    stop = clock.after(ms, () => {
      // What is still on its way to the old server would be handled by the next one, too.
      if (waitingSince?.() && clock.now() < leaveBy) return after(DRAIN_CHECK_MS)
      notBefore = clock.now() + wakeMs
      open(false)
    })
  }
}
