import { type Channel, createChannel, type WebSocketClass } from '@sdk/frontend'
import { WebSocket } from 'ws'
import { HearingOfAnswers, HearingOfRoom } from './hearing.ts'

/** A client in one room that sends consecutive numbers. */
export interface Talker {
  readonly name: string
  readonly room: string
  readonly heard: HearingOfRoom
  readonly answers: HearingOfAnswers
  isOpen(): boolean
  /** Sends the next number. Returns false if its queue is full. */
  say(): boolean
  /** The number of sent messages. */
  said(): number
  /** The number of messages that the server has not acknowledged. */
  pending(): number
  close(): void
}

/** Options for a crowd. */
export interface CrowdOptions {
  readonly port: number
  readonly clients: number
  readonly rooms: number
}

/** Opens all clients. Resolves when each is connected. */
export async function gather({ port, clients, rooms }: CrowdOptions): Promise<Talker[]> {
  const talkers = Array.from({ length: clients }, (_, index) => open(port, `c${index}`, `r${index % rooms}`))
  while (talkers.some(({ isOpen }) => !isOpen())) await new Promise((resolve) => setTimeout(resolve, 50))
  return talkers
}

function open(port: number, name: string, room: string): Talker {
  const heard = new HearingOfRoom()
  const answers = new HearingOfAnswers()
  const channel: Channel = createChannel({
    url: `ws://127.0.0.1:${port}/ws/talk?room=${room}`,
    WebSocket: tapped([heard, answers]),
    stableMs: 500,
    backoff: { max: 1_000 },
  })
  let said = 0
  return {
    name,
    room,
    heard,
    answers,
    say() {
      const isTaken = channel.send({ n: said + 1, by: name })
      if (isTaken) said += 1
      return isTaken
    },
    isOpen: () => channel.state.get().status === 'open',
    said: () => said,
    pending: () => channel.state.get().pending,
    close: () => channel.close(),
  }
}

/** A WebSocket that exposes the received frames, which contain the positions of messages in their room. */
function tapped(hearing: readonly { take(text: string, from: object): void }[]): WebSocketClass {
  return class extends WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols)
      this.on('message', (data: Buffer) => {
        for (const one of hearing) one.take(data.toString(), this)
      })
    }
  }
}
