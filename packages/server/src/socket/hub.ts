import type { RequestAuth } from '../auth-seat.ts'
import type { Log } from '../log/log.ts'
import type { SocketLimits } from './limits.ts'
import type { AnySocketDefinition } from './socket.ts'
import type { Wire } from './wire.ts'

/** A connection, as the door that carries it sees it. */
export interface Connection {
  /** A text frame came. */
  receive(text: string): void
  /** The client answered a ping of WebSocket's own. */
  heard(): void
  /** All that was buffered is gone. */
  drained(): void
  /** Called about once a second, with `performance.now()`: heartbeats, and the end of those who are silent or slow. */
  tick(now: number): void
  /** Asks the client to come back after so many ms; nothing of it is lost. */
  bye(afterMs: number): void
  /** Settles when no handler runs any more, and the client has been told of all that ran. */
  settled(): Promise<void>
  /** The wire is gone; settles when the close handler has run. */
  ended(): Promise<void>
}

/** A client that was let in. */
export interface Arrival {
  readonly socket: AnySocketDefinition
  /** The socket's path. */
  readonly path: string
  readonly auth: RequestAuth | null
  /** Does the client speak `sdk.v1`, or raw JSON? */
  readonly isSdk: boolean
  readonly wire: Wire
  readonly log: Log
}

/** The sockets of one process: who is connected, and what was sent and is not there yet. */
export interface SocketHub {
  readonly limits: SocketLimits
  connect(arrival: Arrival): Connection
  /** Sends a message to everyone in a room, in every process. */
  publish(room: string, message: unknown): Promise<void>
  /** Forgets all sessions, and stops their timers. */
  close(): void
}
