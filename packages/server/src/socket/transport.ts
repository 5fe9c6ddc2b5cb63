/** A text with many recipients. An adapter may cache its encoded form in `encoded`. */
export interface SharedText {
  readonly text: string
  encoded?: unknown
}

/** The underlying connection to one client. Messages sent after it is closed are discarded. */
export interface Transport {
  send(text: string): void
  sendShared(shared: SharedText): void
  /** Bytes that were sent but not yet accepted by the operating system. */
  readonly buffered: number
  /** Total bytes accepted by the operating system; grows while the client reads. */
  readonly flushed: number
  /** Total bytes received; also grows in the middle of a message. */
  readonly received: number
  /** Stops reading, to apply backpressure to the client. Messages that were already read are still delivered. */
  pause(): void
  resume(): void
  /** Sends a WebSocket ping frame, for clients that do not use `sdk.v1`. */
  ping(): void
  /** Sends a close frame, and ends the connection soon after. */
  close(code: number, reason: string): void
  /** Ends the connection immediately, without a close frame. */
  terminate(): void
}
