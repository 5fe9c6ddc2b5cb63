import type { ServerFrame } from '@sdk/protocol'
import type { ConnectionEnd } from './connection-end.ts'
import type { SharedText } from './transport.ts'

/** A client's connection, as seen by its session. */
export interface ClientLink {
  /** Sends a message. Returns false, and sends nothing, if the client is currently too slow. */
  send(text: string): boolean
  /** Sends a message that has many recipients. Returns the same result as `send`. */
  sendShared(shared: SharedText): boolean
  /** Sends a protocol frame, even if the client is too slow. */
  sendFrame(frame: ServerFrame): void
  /** Asks the client to reconnect after `afterMs` milliseconds. */
  requestReconnect(afterMs: number): void
  pause(): void
  resume(): void
  close(end: ConnectionEnd, reason?: string): void
}

/** The owner of a link, with the client's protocol and current connection. */
export interface LinkOwner {
  /** Whether the client uses `sdk.v1` rather than raw JSON. */
  readonly isSdk: boolean
  /** The current connection, or null while the client is disconnected. */
  readonly link: ClientLink | null
}
