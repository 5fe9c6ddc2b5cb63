import type { Clock } from '../clock.ts'

/** The timeouts of a connection, in ms. */
export interface SocketTimeouts {
  /** How long a connection may take to open. @default 10_000 */
  openTimeoutMs?: number | undefined
  /** How long to wait after a missed heartbeat before the server is probed. @default 5_000 */
  graceMs?: number | undefined
  /** How long a message may remain unacknowledged before the server is probed. @default 5_000 */
  ackTimeoutMs?: number | undefined
  /** How long the server may take to respond to a probe. @default 5_000 */
  probeTimeoutMs?: number | undefined
  /**
   * Like `probeTimeoutMs`, but after the page was hidden or frozen, when a lost connection is more likely.
   * @default 2_500
   */
  wakeTimeoutMs?: number | undefined
}

export interface HeartbeatOptions extends SocketTimeouts {
  clock: Clock
  /** Returns the time when the oldest unacknowledged message was sent. */
  waitingSince?: (() => number | undefined) | undefined
}

/** A monitor for the connection to a server. */
export interface Heartbeat {
  /** Records that a frame arrived. `heartbeatMs` is the heartbeat interval, if the frame announces it. */
  alive(heartbeatMs?: number): void
  /** Updates the timer after sending a message that must be acknowledged. */
  watch(): void
  /** Probes the server. The connection ends if the server does not respond in time. */
  probe(): void
  /** Stops the timer until the next `probe`. */
  stop(): void
}

const NEVER = Infinity

/**
 * The maximum deviation of a timer in ms. A larger deviation means that the page was frozen or the clock was changed.
 * The server is then probed, since it may still be reachable.
 */
const CLOCK_JUMP_MS = 2000

/** Creates the heartbeat for a connection that is opening. `onProbe` sends a ping; `onTimeout` ends the connection. */
export function createHeartbeat(options: HeartbeatOptions & Record<'onProbe' | 'onTimeout', () => void>): Heartbeat {
  const {
    clock,
    waitingSince,
    openTimeoutMs = 10_000,
    graceMs = 5000,
    ackTimeoutMs = 5000,
    probeTimeoutMs = 5000,
    wakeTimeoutMs = 2500,
  } = options
  let idleMs = NEVER
  let aliveAt = clock.now()
  // If no frame arrives by this time, the connection is considered lost.
  let timeoutAt = aliveAt + openTimeoutMs
  let timerAt = NEVER
  let stopTimer: (() => void) | undefined
  watch()

  return {
    alive(heartbeatMs) {
      aliveAt = clock.now()
      timeoutAt = NEVER
      if (!heartbeatMs) return
      idleMs = heartbeatMs + graceMs
      watch()
    },
    watch,
    probe: () => probe(wakeTimeoutMs),
    stop() {
      stopTimer?.()
      timerAt = -NEVER
    },
  }

  /** Returns the time of the next timeout or probe if no frame arrives before then. */
  function dueAt(): number {
    if (timeoutAt < NEVER) return timeoutAt
    return Math.min(aliveAt + idleMs, Math.max(aliveAt, waitingSince?.() ?? NEVER) + ackTimeoutMs)
  }

  /** Sets a timer only if the next check is due before the current timer fires, since most frames need no new timer. */
  function watch(): void {
    const due = dueAt()
    if (due >= timerAt) return
    stopTimer?.()
    timerAt = due
    stopTimer = clock.after(due - clock.now(), check)
  }

  function check(): void {
    const now = clock.now()
    const isClockJump = Math.abs(now - timerAt) > CLOCK_JUMP_MS
    timerAt = NEVER
    if (isClockJump) probe(wakeTimeoutMs)
    else if (now < dueAt()) watch()
    else if (timeoutAt < NEVER) options.onTimeout()
    else probe(probeTimeoutMs)
  }

  function probe(timeoutMs: number): void {
    timeoutAt = clock.now() + timeoutMs
    timerAt = NEVER
    watch()
    options.onProbe()
  }
}
