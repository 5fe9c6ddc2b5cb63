import { CLOSE } from '@sdk/protocol'
import { unref } from '../platform/unref-timer.ts'
import { END } from '../socket/connection-end.ts'
import type { SocketLimits } from '../socket/limits.ts'
import { bytesRate, MessageRate } from '../socket/message-rate.ts'
import type { SharedText, Transport } from '../socket/transport.ts'
import { toCloseReason } from './close-reason.ts'
import type { ConnectedClient } from './socket-clients.ts'

/** A WebSocket of a platform that does not expose the connection below it. */
export interface PlatformSocket {
  send(text: string): unknown
  close(code: number, reason: string): void
  /** Returns the number of bytes that wait to be sent; 0 if the platform does not report it. */
  buffered(): number
  /** @default does nothing: the client is not pinged */
  ping?(): unknown
  /** Ends the connection without a close frame. @default sends a close frame */
  terminate?(): void
}

type TransportLimits = Pick<Required<SocketLimits>, 'payload' | 'rate' | 'inboxBytes' | 'window'>

const MESSAGE_TOO_BIG = 1009

/** How long a client may take to reply to a close frame, in ms. */
const CLOSE_TIMEOUT_MS = 5_000

/** The rate limit cost of a message, in addition to its length, since even small messages take time to process. */
const MESSAGE_COST = 64

/**
 * A `Transport` over the WebSocket of a platform. It cannot stop reading, so messages that arrive while it is paused
 * are held. A client that sends more than the limits allow is disconnected with 4429 and may reconnect later.
 */
export class PlatformTransport implements Transport {
  readonly #socket: PlatformSocket
  readonly #limits: TransportLimits & { readonly isSdk: boolean }
  readonly #rate: MessageRate
  #client: ConnectedClient | null = null
  #isClosing = false
  #isPaused = false
  #isThrottled = false
  #held: string[] = []
  #heldLength = 0
  #lastBuffered = 0
  #flushed = 0
  received = 0

  constructor(socket: PlatformSocket, limits: TransportLimits & { readonly isSdk: boolean }) {
    this.#socket = socket
    this.#limits = limits
    this.#rate = new MessageRate(bytesRate(limits))
  }

  /** Sets the client that receives the messages. */
  connect(client: ConnectedClient): void {
    this.#client = client
  }

  get buffered(): number {
    return this.#isClosing ? 0 : this.#socket.buffered()
  }

  get flushed(): number {
    const { buffered } = this
    this.#flushed += Math.max(0, this.#lastBuffered - buffered)
    this.#lastBuffered = buffered
    return this.#flushed
  }

  send(text: string): void {
    if (this.#isClosing) return
    void this.flushed // counts the bytes that were sent since the last message
    this.#socket.send(text)
    this.#lastBuffered = this.buffered
  }

  sendShared({ text }: SharedText): void {
    this.send(text)
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#deliver()
  }

  ping(): void {
    if (!this.#isClosing) this.#socket.ping?.()
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#held = []
    this.#socket.close(code, toCloseReason(code, reason))
    unref(setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS))
  }

  terminate(): void {
    // 1006 cannot be sent.
    if (this.#socket.terminate === undefined) this.close(1011, 'the connection was lost')
    else this.#socket.terminate()
  }

  /** Handles a message from the client. Must be called for each message. */
  onMessage(data: unknown): void {
    if (this.#isClosing) return
    if (typeof data !== 'string') return this.close(END.binary.code, END.binary.reason)
    if (isLonger(data, this.#limits.payload))
      return this.close(this.#limits.isSdk ? CLOSE.tooLarge : MESSAGE_TOO_BIG, '')
    this.received += data.length
    this.#throttle(data.length)
    this.#held.push(data)
    this.#heldLength += data.length
    this.#deliver()
    const { window, inboxBytes, payload } = this.#limits
    if (this.#held.length > window || this.#heldLength > Math.max(inboxBytes, payload))
      this.close(END.tooManyMessages.code, END.tooManyMessages.reason)
  }

  /** Delays the next messages of a client that exceeds its rate limit. */
  #throttle(length: number): void {
    if (this.#rate.isUnlimited) return
    const wait = this.#rate.consume(performance.now(), length + MESSAGE_COST)
    if (wait <= 0 || this.#isThrottled) return
    this.#isThrottled = true
    const resume = (): void => {
      this.#isThrottled = false
      this.#deliver()
    }
    unref(setTimeout(resume, wait))
  }

  #deliver(): void {
    while (!this.#isPaused && !this.#isThrottled && !this.#isClosing) {
      const text = this.#held.shift()
      if (text === undefined) return
      this.#heldLength -= text.length
      this.#client?.connection.receive(text)
    }
  }
}

/** Returns whether a text is longer than `limit` bytes in UTF-8, in which a character takes at most three bytes. */
function isLonger(text: string, limit: number): boolean {
  if (text.length * 3 <= limit) return false
  return text.length > limit || new TextEncoder().encode(text).length > limit
}
