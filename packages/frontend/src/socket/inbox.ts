import type { ClientFrame, Position, ServerFrame } from '@sdk/protocol'
import type { Clock } from '../clock.ts'
import type { HelloFrame, WelcomeFrame } from './socket-connection.ts'

type FrameOf<Kind extends ServerFrame['o']> = Extract<ServerFrame, { o: Kind }>

/** What has come from the server so far: our session, and how far we are in it and in each room. */
export interface Inbox {
  /** The first frame of the next connection. */
  hello(): HelloFrame
  welcome(frame: WelcomeFrame): void
  /** Is the message new to us? */
  take(frame: FrameOf<'m'>): boolean
  /** Our place may be another one now. */
  updatePosition(frame: ServerFrame): void
  /** Leaves no timer behind. */
  close(): void
}

/** When the server is told what has come. */
export interface ReceiptSettings {
  /** How long a receipt for messages of our session may wait for more of them, in ms. @default 200 */
  receiptMs?: number | undefined
}

/** Options of `createInbox`. */
export interface InboxOptions extends ReceiptSettings {
  clock: Clock
}

/** Makes an inbox that has heard of nothing yet. */
export function createInbox(tell: (frame: ClientFrame) => void, options: InboxOptions): Inbox {
  const { receiptMs = 200, clock } = options
  // Without a prototype, since a room may have any name.
  const rooms = Object.create(null) as Record<string, Position>
  let sid: string | null = null
  let received = 0
  let stopReceipt: (() => void) | undefined

  return {
    hello: () => ({ o: 'hi', v: 1, sid, rx: received, pos: rooms }),
    welcome(frame) {
      sid = frame.sid
      // A new session counts its messages from 1; rooms count on.
      if (!frame.res) received = 0
    },
    take({ s: room, e: epoch, i }) {
      // Written so that a frame with missing members is not taken, either.
      if (room && epoch && i > (rooms[room]?.[0] === epoch ? rooms[room][1] : -1)) rooms[room] = [epoch, i]
      else if (!room && i > received) {
        received = i
        // For messages of the session alone: those of a room are kept for all, whoever has received them.
        stopReceipt ??= clock.after(receiptMs, () => {
          stopReceipt = undefined
          tell({ o: 'a', i: received })
        })
      } else return false
      return true
    },
    updatePosition(frame) {
      if (frame.o === 'at' && frame.s && frame.e && frame.i >= 0) rooms[frame.s] = [frame.e, frame.i]
      if (frame.o !== 'left' && frame.o !== 'gap') return
      // After a gap, we are told our new place if we are in the room still.
      if (frame.s) delete rooms[frame.s]
      else if (frame.o === 'gap' && frame.to >= 0) received = frame.to
    },
    close: () => stopReceipt?.(),
  }
}
