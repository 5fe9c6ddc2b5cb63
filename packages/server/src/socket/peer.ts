import { CLOSE, encodeFrame } from '@sdk/protocol'
import type { RequestAuth } from '../auth-seat.ts'
import type { Log } from '../log/log.ts'
import type { Member, Rooms } from './rooms.ts'
import type { AnySocketDefinition } from './socket.ts'

/** One connected client, as a socket's handlers see it. */
export interface Peer<Out = unknown> {
  readonly id: string
  /** Who is connected; null when nobody is signed in. */
  readonly auth: RequestAuth | null
  /** Yours, for as long as the connection lives. */
  data: unknown
  /** Sends a message to this client. */
  send(message: Out): void
  /** From now on this client hears the room. */
  join(room: string): Promise<void>
  leave(room: string): void
  /** Sends a message to everyone in a room. */
  publish(room: string, message: Out): Promise<void>
  /** Ends the connection for good; the client does not come back by itself. */
  close(reason?: string): void
}

/** The bare connection below a peer. */
export interface Wire {
  send(text: string): void
  close(code: number, reason: string): void
}

/** What a connection is made of. */
export interface ConnectionParts {
  readonly socket: AnySocketDefinition
  readonly wire: Wire
  readonly rooms: Rooms
  readonly auth: RequestAuth | null
  /** Does the client speak `sdk.v1`, or raw JSON? */
  readonly isSdk: boolean
  readonly log: Log
}

/** A peer, and the way to take it out of its rooms. */
export function createPeer({ wire, rooms, auth, isSdk }: ConnectionParts): { peer: Peer; leaveAll(): void } {
  const member: Member = { isSdk, deliver: (text) => wire.send(text) }
  const joined = new Set<string>()
  let sent = 0
  const peer: Peer = {
    id: crypto.randomUUID(),
    auth,
    data: undefined,
    send: (message) => wire.send(isSdk ? encodeFrame({ o: 'm', i: ++sent, d: message }) : JSON.stringify(message)),
    async join(room) {
      joined.add(room)
      await rooms.join(room, member)
    },
    leave(room) {
      joined.delete(room)
      rooms.leave(room, member)
    },
    publish: (room, message) => rooms.publish(room, message),
    close: (reason = '') => wire.close(CLOSE.finished, reason),
  }
  return {
    peer,
    leaveAll() {
      for (const room of joined) rooms.leave(room, member)
    },
  }
}
