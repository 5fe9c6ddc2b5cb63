/** A text that goes to many; a door may keep beside it what it makes of it, so that this is made once. */
export interface SharedText {
  readonly text: string
  encoded?: unknown
}

/** The bare connection to one client. What is sent on one that is closed goes nowhere. */
export interface Transport {
  send(text: string): void
  sendShared(shared: SharedText): void
  /** Bytes that were sent and that the system has not taken yet. */
  readonly buffered: number
  /** Bytes that the system has taken, ever: it grows while the client reads. */
  readonly flushed: number
  /** Bytes that have come, ever: it grows in the middle of a message, too. */
  readonly received: number
  /** Reads no more, so that the client cannot send for ever; what was read already still comes. */
  pause(): void
  resume(): void
  /** A ping of WebSocket's own, for clients that do not speak `sdk.v1`. */
  ping(): void
  /** Says goodbye, and ends the connection soon after. */
  close(code: number, reason: string): void
  /** Ends the connection at once. */
  terminate(): void
}
