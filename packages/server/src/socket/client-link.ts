import type { ServerFrame } from '@sdk/protocol'
import type { ConnectionEnd } from './connection-end.ts'
import type { SharedText } from './transport.ts'

/** The way to one client, while there is one. */
export interface ClientLink {
  /** Sends a text; false where the client is too slow just now: then nothing was sent. */
  send(text: string): boolean
  /** The same, of a text that goes to many. */
  sendShared(shared: SharedText): boolean
  /** Sends a frame of the protocol, however slow the client is. */
  sendFrame(frame: ServerFrame): void
  /** Asks the client to come back after so many ms. */
  requestReconnect(afterMs: number): void
  pause(): void
  resume(): void
  close(end: ConnectionEnd, reason?: string): void
}

/** The language of a client, and the way to it. */
export interface LinkOwner {
  /** Does it speak `sdk.v1`, or raw JSON? */
  readonly isSdk: boolean
  /** Null while it is away. */
  readonly link: ClientLink | null
}
