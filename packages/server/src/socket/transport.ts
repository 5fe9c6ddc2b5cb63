/** A message with many recipients. An adapter may cache the encoded message in `encoded`. */
export interface SharedText {
  readonly text: string
  encoded?: unknown
}

/** A message with many recipients, in the formats of all clients. */
export interface SharedMessage {
  /** The number of the message in this process. */
  readonly number: number
  /** The frame for `sdk.v1` clients. */
  readonly framed: SharedText
  /** The JSON for raw clients. */
  readonly bare: SharedText
}

/** The underlying connection to one client. Messages sent after it is closed are discarded. */
export interface Transport {
  send(text: string): void
  sendShared(shared: SharedText): void
  /** The number of bytes that were sent but have not been accepted by the operating system yet. */
  readonly buffered: number
  /** The total number of bytes accepted by the operating system. It grows while the client reads. */
  readonly flushed: number
  /** The total number of bytes received. It also grows while a message is still arriving. */
  readonly received: number
  /** Stops reading, to apply backpressure to the client. Messages that were already read are still delivered. */
  pause(): void
  resume(): void
  /** Sends a WebSocket ping frame, for clients that do not use `sdk.v1`. */
  ping(): void
  /** Sends a close frame, and ends the connection shortly after. */
  close(code: number, reason: string): void
  /** Ends the connection immediately, without a close frame. */
  terminate(): void
}
