import type { Socket as NetSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { CLOSE, SUBPROTOCOL } from '@sdk/protocol'
import { WebSocket, WebSocketServer } from 'ws'
import { toCloseReason } from '../adapter/close-reason.ts'
import type { ConnectedClient } from '../adapter/socket-clients.ts'
import type { SharedText, Transport } from '../socket/transport.ts'
import type { MessageRate } from '../socket/message-rate.ts'
import { flushedBytes } from './connections.ts'

/** Creates a WebSocket server, whose connections are `SdkWebSocket`s. Clients that do not reply to a close frame within `closeTimeout` ms are terminated. */
export function createWsServer(maxPayload: number, closeTimeout = 5_000): WebSocketServer {
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false, // compression costs 210 kB per connection
    maxPayload,
    closeTimeout,
    handleProtocols: (offered: Set<string>) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : (false as const)),
    WebSocket: SdkWebSocket,
  }
  return new WebSocketServer(options)
}

/** A connection that closes with the SDK's own code if an SDK client sends a message that is too large. */
export class SdkWebSocket extends WebSocket {
  /** The client after the handshake. It is stored here so that all connections can share their listeners. */
  client: ConnectedClient<WsTransport> | undefined

  override close(code?: number, reason?: string | Buffer): void {
    if (code === MESSAGE_TOO_BIG && this.protocol === SUBPROTOCOL)
      super.close(CLOSE.tooLarge, toCloseReason(CLOSE.tooLarge))
    else super.close(code, reason)
  }
}

const MESSAGE_TOO_BIG = 1009

/** Reasons to pause reading: the inbox is full, the client does not read our messages, or it exceeds its rate limit. */
const PAUSE = { inbox: 1, backpressure: 2, rate: 4 } as const

/** A `Transport` over a `ws` connection. It frames text itself, so a message to many clients is framed only once. */
export class WsTransport implements Transport {
  readonly #socket: WebSocket
  readonly #stream: NetSocket
  #isCorked = false
  readonly #rate: MessageRate
  /** The reasons why reading is paused, as a bit mask of `PAUSE`; 0 if it is not paused. */
  #paused = 0
  /** The number of received bytes that the rate limit has already counted. */
  #counted = 0

  constructor(socket: WebSocket, stream: Duplex, rate: MessageRate) {
    this.#socket = socket
    this.#stream = stream as NetSocket
    this.#rate = rate
  }

  get buffered(): number {
    return this.#stream.writableLength
  }

  get flushed(): number {
    return flushedBytes(this.#stream)
  }

  get received(): number {
    return this.#stream.bytesRead
  }

  send(text: string): void {
    if (this.#isOpen()) this.#write(toTextFrame(text))
  }

  sendShared(shared: SharedText): void {
    if (this.#isOpen()) this.#write((shared.encoded ??= toTextFrame(shared.text)) as Buffer)
  }

  pause(): void {
    this.#paused |= PAUSE.inbox
    if (this.#isOpen()) this.#socket.pause()
  }

  resume(): void {
    this.#unpause(PAUSE.inbox)
  }

  /**
   * Pauses reading if the client exceeds its rate limit or does not read our messages. Must be called after each
   * received frame.
   */
  onReceived(): void {
    if (!this.#isOpen()) return
    if (!this.#rate.isUnlimited) this.#countReceived()
    if (this.buffered > MAX_BUFFERED) this.#paused |= PAUSE.backpressure
    if ((this.#paused & ~PAUSE.inbox) !== 0) this.#socket.pause()
  }

  #countReceived(): void {
    const { received } = this
    const wait = this.#rate.consume(performance.now(), received - this.#counted + FRAME_COST)
    this.#counted = received
    if (wait <= 0 || (this.#paused & PAUSE.rate) !== 0) return
    this.#paused |= PAUSE.rate
    setTimeout(WsTransport.#unthrottle, wait, this).unref()
  }

  /** Resumes reading if it was paused because of a full write buffer. Must be called when that buffer has drained. */
  onDrain(): void {
    if ((this.#paused & PAUSE.backpressure) !== 0) this.#unpause(PAUSE.backpressure)
  }

  ping(): void {
    if (this.#isOpen()) this.#socket.ping()
  }

  close(code: number, reason: string): void {
    // A paused socket would never read the client's close frame.
    this.#socket.resume()
    this.#socket.close(code, toCloseReason(code, reason))
  }

  terminate(): void {
    this.#socket.terminate()
  }

  #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** Removes a reason for pausing. Resumes reading if it was the last one. */
  #unpause(reason: number): void {
    this.#paused &= ~reason
    if (this.#paused === 0) this.#socket.resume()
  }

  static #unthrottle(this: void, transport: WsTransport): void {
    transport.#unpause(PAUSE.rate)
  }

  /** Writes a frame. Frames written in the same tick are sent in one system call. */
  #write(frame: Buffer): void {
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#stream.cork()
      if (WsTransport.#corked.push(this) === 1) process.nextTick(WsTransport.#uncorkAll)
    }
    this.#stream.write(frame)
  }

  /**
   * The transports that have written frames in the current tick. They share one callback, because a room may have
   * thousands of members.
   */
  static #corked: WsTransport[] = []

  static #uncorkAll(this: void): void {
    const corked = WsTransport.#corked
    WsTransport.#corked = []
    for (const transport of corked) {
      transport.#isCorked = false
      transport.#stream.uncork()
    }
  }
}

/** The rate limit cost of a frame, in addition to its bytes, since even small frames take time to process. */
const FRAME_COST = 64

/** The maximum number of buffered bytes. It is higher than the hub's limit, so only replies to pings can exceed it. */
const MAX_BUFFERED = 2 * 1_048_576

const TEXT_OPCODE = 0x81

/** Encodes a string as one frame. Server frames are not masked, so the frame is the same for all clients. */
function toTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = TEXT_OPCODE
  if (start === 2) frame[1] = length
  else if (start === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, start)
  return frame
}
