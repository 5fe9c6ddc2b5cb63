import type { Transport } from './transport.ts'
import type { SocketObserver } from '../observe/request-observer.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { Log } from '../log/log.ts'
import type { RequestAuth } from '../auth/identity.ts'

/** A connection, as the door that carries it sees it. */
export interface ClientConnection {
  /** A text frame came. */
  receive(text: string): void
  /** The client answered a ping of WebSocket's own. */
  markAlive(): void
  /** All that was buffered is gone. */
  onDrain(): void
  /** Called about once a second, with `performance.now()`: heartbeats, and the end of those who are silent or slow. */
  tick(now: number): void
  /** Asks the client to come back after so many ms; nothing of it is lost. */
  requestReconnect(afterMs: number): void
  /** Settles when no handler runs any more, and the client has been told of all that ran. */
  settled(): Promise<void>
  /** The wire is gone; settles when the close handler has run. */
  onClose(): Promise<void>
}

/** A client that was let in. */
export interface AcceptedClient {
  readonly socket: AnySocketDefinition
  /** The socket's path. */
  readonly path: string
  readonly auth: RequestAuth | null
  /** Is it the made-up session of a test's user? Then nobody is asked whether it is still valid. @default false */
  readonly isMadeUp?: boolean
  /** The query of the address that it connected to. */
  readonly query: Readonly<Record<string, string>>
  /** Does the client speak `sdk.v1`, or raw JSON? */
  readonly isSdk: boolean
  readonly transport: Transport
  readonly log: Log
  /** Who watches the connection, in development. */
  readonly observer?: SocketObserver | undefined
}
