import { CLOSE } from '@sdk/protocol'
import type { RequestAuth } from '../auth-seat.ts'
import { NO_QUERY } from '../http/url.ts'
import type { Session } from './session.ts'

/** Somebody who is in a room. */
export interface Presence {
  /** The peer's id. */
  readonly id: string
  /** What it told of itself when it joined; null where it told nothing. */
  readonly data: unknown
}

/** Options of `peer.join`. */
export interface JoinOptions {
  /** What others may know of this client while it is in the room: any JSON. @default null */
  presence?: unknown
}

/** One connected client, as a socket's handlers see it. It is the same one when the client comes back to this process. */
export interface Peer<Out = unknown> {
  /** Of the client's session: it stays the same when the connection is lost and made again. */
  readonly id: string
  /** Who is connected; null when nobody is signed in. */
  readonly auth: RequestAuth | null
  /** The query of the address it connected to, such as `{ room: 'lobby' }` of `/ws/chat?room=lobby`. */
  readonly query: Readonly<Record<string, string>>
  /** Yours, for as long as the client stays. */
  data: unknown
  /** The id of the message that is being handled; the same when it is sent again. */
  readonly messageId: string
  /** Was the message sent before? Then its handler may have run already, in a process that died before it could say so. */
  readonly redelivered: boolean
  /** Sends a message to this client; one that is away for a moment gets it when it is back. */
  send(message: Out): void
  /** From now on this client hears the room. */
  join(room: string, options?: JoinOptions): Promise<void>
  /** From now on it does not. */
  leave(room: string): void
  /** Sends a message to everyone in a room. */
  publish(room: string, message: Out): Promise<void>
  /** Who is in a room, in all processes. */
  presence(room: string): Promise<Presence[]>
  /** Ends the connection for good: the client does not come back by itself, and what it sent and waits is not handled. */
  close(reason?: string): void
}

/** The peer of a session. */
export class SessionPeer implements Peer {
  auth: RequestAuth | null = null
  query: Readonly<Record<string, string>> = NO_QUERY
  data: unknown
  messageId = ''
  redelivered = false
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  get id(): string {
    return this.#session.start.id
  }

  send(message: unknown): void {
    this.#session.outgoing.send(this.#session.toJson(message))
  }

  join(room: string, options: JoinOptions = {}): Promise<void> {
    return this.#session.memberships.join(room, JSON.stringify(options.presence ?? null))
  }

  leave(room: string): void {
    this.#session.memberships.leave(room)
  }

  async publish(room: string, message: unknown): Promise<void> {
    await this.#session.parts.rooms.publish(room, this.#session.toJson(message))
  }

  async presence(room: string): Promise<Presence[]> {
    const members = await this.#session.parts.engine.presence.list(room)
    // One that has just moved to another process may be in both for a moment.
    const byId = new Map(members.map(({ id, data }) => [id.split('.', 1)[0] ?? '', data]))
    return Array.from(byId, ([id, data]) => ({ id, data: JSON.parse(data) as unknown }))
  }

  close(reason = ''): void {
    this.#session.refuse(CLOSE.finished, reason)
  }
}
