import type { Presence } from '../engine/list-presence.ts'
import type { Log } from '../log/log.ts'
import type { Kv } from '../engine/kv.ts'
import type { RequestAuth } from '../auth/identity.ts'

/** Options for `peer.join`. */
export interface JoinOptions<Data = unknown> {
  /**
   * Data about this client that is visible in the room: any JSON value. All clients in a room must use the same type.
   * @default null
   */
  presence?: Data
  /**
   * Called with all clients in the room, across all processes. It is called after this client joins and after each
   * change, at most ten times per second. Changes in a process without an `onPresence` listener arrive within 15 s.
   * Clients of a crashed process are removed within 30 s.
   * @default not called
   */
  onPresence?(people: readonly Presence<Data>[]): unknown
}

/**
 * A connected client, as passed to a socket's handlers. The object remains the same if the client reconnects to this
 * process.
 */
export interface Peer<Out = unknown, Data = unknown> {
  /** The id of the client's socket session. It remains the same after a reconnect. */
  readonly id: string
  /** The client's identity, or null if the client is not signed in. */
  readonly auth: RequestAuth | null
  /** The query parameters of the connection's URL, such as `{ room: 'lobby' }` for `/ws/chat?room=lobby`. */
  readonly query: Readonly<Record<string, string>>
  /** Custom data that is kept for the lifetime of the client: the value returned by `open`, or a value that you set. */
  data: Data
  /** A logger that adds the socket's path to each line. */
  readonly log: Log
  /** A small key-value store shared by all processes. */
  readonly kv: Kv
  /** The id of the current message. It remains the same if the message is resent. */
  readonly messageId: string
  /**
   * Whether the handler may already have run for this message. This is the case if the process that received the
   * message crashed or lost its connection to the client, or if this process was suspended (for example, by SIGSTOP)
   * and another process may have handled the message in the meantime.
   */
  readonly redelivered: boolean
  /** Sends a message to this client. A client that is briefly disconnected receives it after it reconnects. */
  send(message: Out): void
  /** Subscribes this client to a room. */
  join<Data = unknown>(room: string, options?: JoinOptions<Data>): Promise<void>
  /** Unsubscribes this client from a room. */
  leave(room: string): void
  /** Sends a message to all clients in a room. */
  publish(room: string, message: Out): Promise<void>
  /**
   * Permanently disconnects all clients in a room, across all processes. Their sockets close with `FORBIDDEN` and
   * `reason` as the message. Clients that read fast enough still receive the messages published earlier. Offline
   * clients are disconnected when they reconnect, as long as the room retains its messages. `open` decides which
   * clients may connect again.
   */
  disconnect(room: string, reason?: string): Promise<void>
  /** Returns the clients in a room, across all processes. */
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
  /**
   * Closes the connection permanently: the client does not reconnect automatically, and its queued messages are not
   * handled. If a reason is given, the client reports it as `error.message` with the code `CLOSED`; otherwise, it
   * reports no error.
   */
  close(reason?: string): void
}
