import type { Transport } from './transport.ts'
import type { SocketObserver } from '../observe/request-observer.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Log } from '../log/log.ts'
import type { RequestAuth } from '../auth/identity.ts'

/** A client's connection, as seen by its adapter. */
export interface ClientConnection {
  /** Handles a text frame from the client. */
  receive(text: string): void
  /** Marks the client as alive, after a WebSocket pong frame. */
  markAlive(): void
  /** Resumes sending after the transport's buffer has drained. */
  onDrain(): void
  /**
   * Sends heartbeats, and disconnects the client if it is silent or too slow. Called about once a second, with
   * `performance.now()`.
   */
  tick(now: number): void
  /** Asks the client to reconnect after `afterMs` milliseconds. Its session is kept. */
  requestReconnect(afterMs: number): void
  /** Resolves once no handler is running and all handled messages are acknowledged. */
  settled(): Promise<void>
  /** Handles the end of the transport. Resolves when the close handler has run. */
  onClose(): Promise<void>
}

/** A client whose handshake was accepted. */
export interface AcceptedClient {
  readonly socket: AnySocketDefinition
  /** The socket's path. */
  readonly path: string
  readonly auth: RequestAuth | null
  /** Whether the client has the simulated session of a test user. Such sessions are not re-validated. @default false */
  readonly isMadeUp?: boolean
  /** The query parameters of the handshake URL. */
  readonly query: Readonly<Record<string, string>>
  /** The request of the handshake. Only set if the socket needs it. */
  readonly incoming?: ServerRequest | undefined
  /** Whether the client uses `sdk.v1` rather than raw JSON. */
  readonly isSdk: boolean
  readonly transport: Transport
  readonly log: Log
  /** The observer of the connection. Only set in development. */
  readonly observer?: SocketObserver | undefined
}
