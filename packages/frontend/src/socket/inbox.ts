import type { ClientFrame, Position, ServerFrame } from '@sdk/protocol'
import type { Clock } from '../clock.ts'
import type { HelloFrame, WelcomeFrame } from './socket-connection.ts'

type FrameOf<Kind extends ServerFrame['o']> = Extract<ServerFrame, { o: Kind }>

/** The receiving side of a channel: the session, and the position in the session and in each room. */
export interface Inbox {
  /** Returns the first frame of the next connection. */
  hello(): HelloFrame
  welcome(frame: WelcomeFrame): void
  /** Records a message. Returns whether it is new. */
  take(frame: FrameOf<'m'>): boolean
  /** Applies a frame that changes the position. */
  seek(frame: ServerFrame): void
  close(): void
}

/** Settings for receipts. */
export interface ReceiptSettings {
  /** The maximum time in ms that an acknowledgement is delayed, so that it can cover several messages. @default 200 */
  receiptMs?: number | undefined
}

export function createInbox(
  sendFrame: (frame: ClientFrame) => void,
  options: ReceiptSettings & { clock: Clock },
): Inbox {
  const { receiptMs = 200, clock } = options
  // The object has no prototype, since a room may have any name.
  const rooms = Object.create(null) as Record<string, Position>
  let sid: string | null = null
  let received = 0
  let stopReceipt: (() => void) | undefined

  return {
    hello: () => ({ o: 'hi', v: 1, sid, rx: received, pos: rooms }),
    welcome(frame) {
      sid = frame.sid
      // A new session numbers its messages from 1, while the numbers in rooms continue.
      if (!frame.res) received = 0
    },
    take({ s: room, e: epoch, i }) {
      // These comparisons also reject a frame with missing members.
      if (room && epoch && i > (rooms[room]?.[0] === epoch ? rooms[room][1] : -1)) rooms[room] = [epoch, i]
      else if (!room && i > received) {
        received = i
        // Receipts are sent only for session messages: the server stores room messages for all members.
        stopReceipt ??= clock.after(receiptMs, () => {
          stopReceipt = undefined
          sendFrame({ o: 'a', i: received })
        })
      } else return i === 0 // a message that is sent only once
      return true
    },
    seek(frame) {
      if (frame.o === 'at' && frame.s && frame.e && frame.i >= 0) rooms[frame.s] = [frame.e, frame.i]
      // After a gap, the server sends the new position if the client is still in the room.
      if ((frame.o === 'left' || frame.o === 'gap') && frame.s) delete rooms[frame.s]
      else if (frame.o === 'gap' && frame.to >= 0) received = frame.to
    },
    close: () => stopReceipt?.(),
  }
}
