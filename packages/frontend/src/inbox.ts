import type { ClientFrame, Position, ServerFrame } from '@sdk/protocol'
import type { HelloFrame, WelcomeFrame } from './connection.ts'

/** A message of the server, of our session or of a room. */
export type MessageFrame = Extract<ServerFrame, { o: 'm' }>

/** What has come from the server so far: our session, and how far we are in it and in each room. */
export interface Inbox {
  /** The first frame of the next connection. */
  hello(): HelloFrame
  welcome(frame: WelcomeFrame): void
  /** Is it new to us? */
  take(frame: MessageFrame): boolean
  /** Receipts for what came since the last ones. */
  receipts(): ClientFrame[]
}

/** Makes an inbox that has heard of nothing yet. */
export function createInbox(): Inbox {
  const rooms = new Map<string, Position>()
  const unreceipted = new Set<string | null>()
  let sid: string | null = null
  let received = 0

  return {
    hello: () => ({ o: 'hi', v: 1, sid, rx: received, pos: Object.fromEntries(rooms) }),
    welcome(frame) {
      sid = frame.sid
      // A new session counts its messages from 1; rooms count on.
      if (!frame.res) received = 0
    },
    take({ s: room, e: epoch = '', i }) {
      const [knownEpoch, known] = room === undefined ? ['', received] : (rooms.get(room) ?? ['', 0])
      if (i <= known && (room === undefined || epoch === knownEpoch)) return false
      if (room === undefined) received = i
      else rooms.set(room, [epoch, i])
      unreceipted.add(room ?? null)
      return true
    },
    receipts() {
      const frames = [...unreceipted].map((room): ClientFrame =>
        room === null ? { o: 'a', i: received } : { o: 'a', s: room, i: rooms.get(room)?.[1] ?? 0 },
      )
      unreceipted.clear()
      return frames
    },
  }
}
