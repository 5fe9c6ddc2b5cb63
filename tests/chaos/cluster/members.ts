import { type Channel, createChannel, type WebSocketClass } from '@sdk/frontend'
import { WebSocket } from 'ws'
import { ReplyRecorder, RoomRecorder } from './recorders.ts'

/** A client in one room that sends consecutive numbers. */
export interface RoomMember {
  readonly name: string
  readonly room: string
  readonly messages: RoomRecorder
  readonly replies: ReplyRecorder
  isOpen(): boolean
  /** Sends the next number. Returns false if its queue is full. */
  sendNext(): boolean
  /** The number of sent messages. */
  sent(): number
  /** The number of messages that the server has not acknowledged. */
  pending(): number
  close(): void
}

/** Options for the clients. */
export interface MemberOptions {
  readonly port: number
  readonly clients: number
  readonly rooms: number
}

/** Opens all clients. Resolves when each is connected. */
export async function openMembers({ port, clients, rooms }: MemberOptions): Promise<RoomMember[]> {
  const members = Array.from({ length: clients }, (_, index) => open(port, `c${index}`, `r${index % rooms}`))
  while (members.some(({ isOpen }) => !isOpen())) await new Promise((resolve) => setTimeout(resolve, 50))
  return members
}

function open(port: number, name: string, room: string): RoomMember {
  const messages = new RoomRecorder()
  const replies = new ReplyRecorder()
  const channel: Channel = createChannel({
    url: `ws://127.0.0.1:${port}/ws/talk?room=${room}`,
    WebSocket: tapped([messages, replies]),
    stableMs: 500,
    backoff: { max: 1_000 },
  })
  let sent = 0
  return {
    name,
    room,
    messages,
    replies,
    sendNext() {
      const isTaken = channel.send({ n: sent + 1, by: name })
      if (isTaken) sent += 1
      return isTaken
    },
    isOpen: () => channel.state.get().status === 'open',
    sent: () => sent,
    pending: () => channel.state.get().pending,
    close: () => channel.close(),
  }
}

/** A WebSocket that exposes the received frames, which contain the positions of messages in their room. */
function tapped(recorders: readonly { take(text: string, from: object): void }[]): WebSocketClass {
  return class extends WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols)
      this.on('message', (data: Buffer) => {
        for (const one of recorders) one.take(data.toString(), this)
      })
    }
  }
}
