import type { SocketClient, TextFrame } from '../harness/socket-client.ts'

/** The client side of a conversation, in the envelope of its server. */
export interface Speaker {
  /** Sends the initial messages. */
  greet(): void
  /** Sends a message, given as JSON. */
  say(json: string): void
  /** Handles a frame. Returns whether it is a message of the application. */
  hear(frame: TextFrame): boolean
  /** Returns the message in a frame for which `hear` returned true. */
  read(frame: TextFrame): unknown
  /** Called every 200 ms to send acks. */
  tick(): void
}

/** The protocol of a server's clients. */
export interface Dialect {
  readonly path: string
  readonly protocol?: string
  /** Whether a client has joined only after the server confirms it. */
  readonly isGreeted: boolean
  /** `onReady` is called when the server has confirmed. */
  speak(client: () => SocketClient, onReady: () => void): Speaker
}

const LETTER = { m: 0x6d, s: 0x73, 0: 0x30, 2: 0x32, 4: 0x34 } as const

/** Plain JSON without an envelope. */
const plain: Dialect = {
  path: '/ws/bench',
  isGreeted: false,
  speak: (client) => ({
    greet() {},
    say: (json) => client().send(json),
    hear: () => true,
    read: (frame) => JSON.parse(textOf(frame)) as unknown,
    tick() {},
  }),
}

/** Engine.io 4 and Socket.IO 5, as socket.io-client uses them over WebSocket. */
const socketIo: Dialect = {
  path: '/socket.io/?EIO=4&transport=websocket',
  isGreeted: true,
  speak: (client, onReady) => ({
    greet() {},
    say: (json) => client().send(`42["message",${json}]`),
    hear(frame) {
      const [kind, packet] = [frame.bytes[frame.from], frame.bytes[frame.from + 1]]
      if (kind === LETTER[4] && packet === LETTER[2]) return true
      if (kind === LETTER[0]) client().send('40')
      else if (kind === LETTER[2]) client().send('3')
      else if (kind === LETTER[4] && packet === LETTER[0]) onReady()
      return false
    },
    read: (frame) => (JSON.parse(textOf(frame).slice(2)) as unknown[])[1],
    tick() {},
  }),
}

/** `sdk.v1` with the offsets and acks of the real client. */
const sdk: Dialect = {
  path: '/ws/bench',
  protocol: 'sdk.v1',
  isGreeted: true,
  speak: (client, onReady) => new SdkSpeaker(client, onReady),
}

class SdkSpeaker implements Speaker {
  readonly #client: () => SocketClient
  readonly #onReady: () => void
  #sent = 0
  #received = 0
  #told = 0

  constructor(client: () => SocketClient, onReady: () => void) {
    this.#client = client
    this.#onReady = onReady
  }

  greet(): void {
    this.#client().send('{"o":"hi","v":1,"sid":null,"rx":0,"pos":{}}')
  }

  say(json: string): void {
    this.#client().send(`{"o":"m","i":${++this.#sent},"d":${json}}`)
  }

  hear(frame: TextFrame): boolean {
    const { bytes, from } = frame
    // The kind of a frame is its first member. A message of a room has its room next. It needs no ack, nor does number 0.
    if (bytes[from + 6] !== LETTER.m) this.#answer(JSON.parse(textOf(frame)) as { o: string })
    else if (bytes[from + 10] !== LETTER.s && bytes[from + 13] !== LETTER[0]) this.#received++
    return bytes[from + 6] === LETTER.m
  }

  read(frame: TextFrame): unknown {
    return (JSON.parse(textOf(frame)) as { d: unknown }).d
  }

  tick(): void {
    if (this.#received === this.#told) return
    this.#told = this.#received
    this.#client().send(`{"o":"a","i":${this.#told}}`)
  }

  #answer({ o }: { o: string }): void {
    if (o === 'ok') this.#onReady()
    else if (o === 'p') this.#client().send('{"o":"q"}')
    else if (o === 'e' || o === 'gap') throw new Error(`the server sent ${o}`)
  }
}

function textOf({ bytes, from, to }: TextFrame): string {
  return bytes.toString('utf8', from, to)
}

/** The protocol of each server. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  ws: plain,
  'ws-shared': plain,
  crossws: plain,
  hono: plain,
  socketio: socketIo,
  'socketio-recovery': socketIo,
  'sdk-raw': plain,
  sdk,
  'before-raw': plain,
  before: sdk,
}
