import type { Presence } from '../engine/list-presence.ts'
import type { Log } from '../log/log.ts'
import type { Kv } from '../engine/kv.ts'
import type { RequestAuth } from '../auth/identity.ts'

/** Options of `peer.join`. */
export interface JoinOptions<Data = unknown> {
  /** What others may know of this client while it is in the room: any JSON, and of one type in one room. @default null */
  presence?: Data
  /**
   * Called with all who are in the room, in all processes: at first, and after each change, at most ten times a second.
   * A change in a process where nobody uses `onPresence` is seen within 15 s; those of a process that died leave within
   * half a minute. @default nobody is told
   */
  onPresence?(people: readonly Presence<Data>[]): unknown
}

/** One connected client, as a socket's handlers see it. It is the same one when the client comes back to this process. */
export interface Peer<Out = unknown, Data = unknown> {
  /** Of the client's session: it stays the same when the connection is lost and made again. */
  readonly id: string
  /** Who is connected; null when nobody is signed in. */
  readonly auth: RequestAuth | null
  /** The query of the address it connected to, such as `{ room: 'lobby' }` of `/ws/chat?room=lobby`. */
  readonly query: Readonly<Record<string, string>>
  /** Yours, for as long as the client stays: what `open` returned, or what you set. */
  data: Data
  /** Writes lines that carry the socket's path. */
  readonly log: Log
  /** A small store that all processes share. */
  readonly kv: Kv
  /** The id of the message that is being handled; the same when it is sent again. */
  readonly messageId: string
  /**
   * May the handler have run already for this message? It was sent before, and the process that had it died or lost the
   * client; or this process stood still, as by SIGSTOP, and another one may have handled it meanwhile.
   */
  readonly redelivered: boolean
  /** Sends a message to this client; one that is away for a moment gets it when it is back. */
  send(message: Out): void
  /** From now on this client hears the room. */
  join<Data = unknown>(room: string, options?: JoinOptions<Data>): Promise<void>
  /** From now on it does not. */
  leave(room: string): void
  /** Sends a message to everyone in a room. */
  publish(room: string, message: Out): Promise<void>
  /**
   * Sends everyone in a room away for good, in every process: their sockets end as `FORBIDDEN`, with this message. Who keeps
   * up gets what was published before; who is away is sent away when it is back, while the room keeps its messages. Who may
   * come back is for `open` to decide.
   */
  disconnect(room: string, reason?: string): Promise<void>
  /** Who is in a room, in all processes. */
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
  /**
   * Ends the connection for good: the client does not come back by itself, and what it sent and waits is not handled. Its
   * page has the reason as `error.message`, with the code `CLOSED`; without one there is no error.
   */
  close(reason?: string): void
}
