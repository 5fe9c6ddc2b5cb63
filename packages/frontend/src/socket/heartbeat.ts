import type { Clock } from '../clock.ts'

/** How patient we are with a server, in ms. */
export interface SocketTimeouts {
  /** How long a connection may take to open. @default 10_000 */
  openTimeoutMs?: number | undefined
  /** How long after a heartbeat was due we ask whether the server is there. @default 5_000 */
  graceMs?: number | undefined
  /** How long a message may wait for its receipt before we ask. @default 5_000 */
  ackTimeoutMs?: number | undefined
  /** How long the server may take to answer. @default 5_000 */
  probeTimeoutMs?: number | undefined
  /** The same where the page has just woken up: then it is likelier that the connection is lost. @default 2_500 */
  wakeTimeoutMs?: number | undefined
}

/** Options of `createPulse`. */
export interface HeartbeatOptions extends SocketTimeouts {
  clock: Clock
  /** Since when the oldest message waits for its receipt. */
  waitingSince?: (() => number | undefined) | undefined
}

/** What happens where a server is silent. */
export interface HeartbeatEvents {
  /** Ask whether it is there. */
  onProbe(): void
  /** It has not answered. */
  onTimeout(): void
}

/** Tells whether a server is still there. */
export interface Heartbeat {
  /** A frame came, whichever; `heartbeatMs` where it says how often at least one comes. */
  alive(heartbeatMs?: number): void
  /** Something was sent that must be answered. */
  watch(): void
  /** Asks now. */
  probe(): void
  /** Asks no more, until `probe`. */
  stop(): void
}

const NEVER = Infinity

/** A timer that is off by more than this: the page was frozen, or the clock was set. It says nothing of the server. */
const CLOCK_JUMP_MS = 2000

/** Watches over a connection that is just being opened. */
export function createHeartbeat(options: HeartbeatOptions & HeartbeatEvents): Heartbeat {
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
  let heardAt = clock.now()
  // The server counts as lost then, unless it is heard.
  let deadAt = heardAt + openTimeoutMs
  let timerAt = NEVER
  let stopTimer: (() => void) | undefined
  watch()

  return {
    alive(heartbeatMs) {
      heardAt = clock.now()
      deadAt = NEVER
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

  /** When there is something to do unless a frame comes: to give up, or to ask. */
  function dueAt(): number {
    if (deadAt < NEVER) return deadAt
    return Math.min(heardAt + idleMs, Math.max(heardAt, waitingSince?.() ?? NEVER) + ackTimeoutMs)
  }

  /** Sets a timer only where something is due earlier than the one that is set: fast frames need no timer each. */
  function watch(): void {
    const due = dueAt()
    if (due >= timerAt) return
    stopTimer?.()
    timerAt = due
    stopTimer = clock.after(due - clock.now(), check)
  }

  function check(): void {
    const now = clock.now()
    const isOff = Math.abs(now - timerAt) > CLOCK_JUMP_MS
    timerAt = NEVER
    if (isOff) probe(wakeTimeoutMs)
    else if (now < dueAt()) watch()
    else if (deadAt < NEVER) options.onTimeout()
    else probe(probeTimeoutMs)
  }

  function probe(timeoutMs: number): void {
    deadAt = clock.now() + timeoutMs
    timerAt = NEVER
    watch()
    options.onProbe()
  }
}
