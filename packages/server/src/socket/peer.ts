import type { Peer, JoinOptions } from '../define/peer.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { END, type ConnectionEnd } from './connection-end.ts'
import type { Kv } from '../engine/kv.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { EMPTY_QUERY } from '../http/url.ts'
import type { Log } from '../log/log.ts'
import type { EngineMember } from '../engine/engine.ts'
import { listPresence, toPresence, type Presence } from '../engine/list-presence.ts'
import type { PresenceListener } from './presence-feed.ts'
import { DISCONNECT_REASON } from './rooms.ts'
import type { ClientLink } from './client-link.ts'
import type { Memberships } from './memberships.ts'
import type { Outbox } from './outbox.ts'
import type { SessionDependencies } from './session-dependencies.ts'
import type { SharedMessage } from './transport.ts'
import type { WorkQueue } from './work-queue.ts'

/** The part of a session that its peer uses. */
export interface PeerSession {
  readonly start: { readonly id: string; readonly log: Log }
  readonly deps: Pick<SessionDependencies, 'kv' | 'rooms' | 'engine'>
  readonly outbox: Pick<Outbox, 'send' | 'sendOnce' | 'isBehind'>
  readonly memberships: Pick<Memberships, 'join' | 'leave'>
  readonly queue: Pick<WorkQueue, 'add'>
  readonly link: ClientLink | null
  toJson(message: unknown): string
  refuse(end: ConnectionEnd, reason?: string): void
}

/** The peer object that a session passes to its handlers. */
export class SessionPeer implements Peer<unknown, never> {
  auth: RequestAuth | null = null
  query: Readonly<Record<string, string>> = EMPTY_QUERY
  /** The value returned by `open`. Its static type is only available in the handlers. */
  data = undefined as never
  messageId = ''
  redelivered = false
  /** The request of the handshake, if the socket needs it. */
  incoming: ServerRequest | undefined
  readonly #session: PeerSession

  constructor(session: PeerSession) {
    this.#session = session
  }

  get id(): string {
    return this.#session.start.id
  }

  get log(): Log {
    return this.#session.start.log
  }

  get kv(): Kv {
    return this.#session.deps.kv
  }

  send(message: unknown): void {
    this.#session.outbox.send(this.#session.toJson(message))
  }

  /** Sends a message that is already serialized as JSON. */
  sendJson(json: string): void {
    this.#session.outbox.send(json)
  }

  /** Sends a message that is lost with the connection. Returns false if the client cannot receive it now. */
  sendOnce(message: SharedMessage): boolean {
    return this.#session.outbox.sendOnce(message)
  }

  /** Whether the client is disconnected, or too slow for the messages that were sent to it. */
  get isBehind(): boolean {
    return this.#session.outbox.isBehind
  }

  join(room: string, options: JoinOptions = {}): Promise<void> {
    const { presence = null, onPresence } = options
    const listener = onPresence === undefined ? null : inQueueOrder(this.#session, onPresence)
    return this.#session.memberships.join(room, { presence: JSON.stringify(presence), onPresence: listener })
  }

  leave(room: string): void {
    this.#session.memberships.leave(room)
  }

  async publish(room: string, message: unknown): Promise<void> {
    await this.#session.deps.rooms.publish(room, this.#session.toJson(message))
  }

  disconnect(room: string, reason: string = DISCONNECT_REASON): Promise<void> {
    return this.#session.deps.rooms.disconnect(room, reason)
  }

  presence<Data>(room: string): Promise<Presence<Data>[]> {
    return listPresence(this.#session.deps.engine, room)
  }

  close(reason = ''): void {
    // The SDK client reports the last error frame that it received; it does not treat a close frame as an error.
    const error = { code: 'CLOSED', message: reason, details: [] }
    if (reason !== '') this.#session.link?.sendFrame({ o: 'e', i: 0, status: 0, error })
    this.#session.refuse(END.finish, reason)
  }
}

/** Queues calls to `onPresence` with the client's other handlers. A queued call receives the latest list. */
function inQueueOrder({ queue }: PeerSession, onPresence: NonNullable<JoinOptions['onPresence']>): PresenceListener {
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
