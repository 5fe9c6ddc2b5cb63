import { CLOSE } from '@sdk/protocol'
import type { RequestAuth } from '../auth-seat.ts'
import type { Kv } from '../engine/kv.ts'
import { NO_QUERY } from '../http/url.ts'
import type { Log } from '../log/log.ts'
import type { EngineMember } from '../engine/engine.ts'
import { listPresence, toPresence, type Presence } from './presence.ts'
import type { PresenceListener } from './presence-feed.ts'
import { DISCONNECTED } from './rooms.ts'
import type { Session } from './session.ts'

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
  /** Was the message sent before? Then its handler may have run already, in a process that died before it could say so. */
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

/** The peer of a session. */
export class SessionPeer implements Peer<unknown, never> {
  auth: RequestAuth | null = null
  query: Readonly<Record<string, string>> = NO_QUERY
  /** Of the type that its handlers have agreed on. */
  data = undefined as never
  messageId = ''
  redelivered = false
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  get id(): string {
    return this.#session.start.id
  }

  get log(): Log {
    return this.#session.start.log
  }

  get kv(): Kv {
    return this.#session.parts.kv
  }

  send(message: unknown): void {
    this.#session.outgoing.send(this.#session.toJson(message))
  }

  join(room: string, options: JoinOptions = {}): Promise<void> {
    const { presence = null, onPresence } = options
    const told = onPresence === undefined ? null : inTurn(this.#session, onPresence)
    return this.#session.memberships.join(room, { presence: JSON.stringify(presence), onPresence: told })
  }

  leave(room: string): void {
    this.#session.memberships.leave(room)
  }

  async publish(room: string, message: unknown): Promise<void> {
    await this.#session.parts.rooms.publish(room, this.#session.toJson(message))
  }

  disconnect(room: string, reason: string = DISCONNECTED): Promise<void> {
    return this.#session.parts.rooms.disconnect(room, reason)
  }

  presence<Data>(room: string): Promise<Presence<Data>[]> {
    return listPresence(this.#session.parts.engine, room)
  }

  close(reason = ''): void {
    // Our client shows the last error that it was told of; a close alone is none.
    const error = { code: 'CLOSED', message: reason, details: [] }
    if (reason !== '') this.#session.link?.tell({ o: 'e', i: 0, status: 0, error })
    this.#session.refuse(CLOSE.finished, reason)
  }
}

/** Calls `onPresence` in turn with the other handlers of the client. If it has to wait, it gets the latest list. */
function inTurn({ queue }: Session, onPresence: NonNullable<JoinOptions['onPresence']>): PresenceListener {
  let latest: readonly EngineMember[] | null = null
  return (members) => {
    const isQueued = latest !== null
    latest = members
    if (isQueued) return
    queue.add(() => {
      const people = toPresence(latest ?? [])
      latest = null
      return onPresence(people)
    })
  }
}
