import type { Clock, WebSocketClass, WebSocketLike } from '@sdk/frontend'
import { createFrameDelay, type FrameDelay } from './frame-delay.ts'

/** Listeners for the events on a socket, as seen by the client. */
export interface SocketEvents {
  onOpen(protocol: string): void
  onFrame(from: 'client' | 'server', text: string): void
  onClose(code: number, reason: string): void
}

/** Options for a `ControlledSocket`. */
export interface ControlledOptions extends SocketEvents {
  readonly WebSocket: WebSocketClass
  readonly url: string
  readonly protocols: string[]
  readonly clock: Clock
}

/** A WebSocket that can delay, hold back or drop frames. Frames remain in order. */
export class ControlledSocket extends EventTarget implements WebSocketLike {
  readonly #options: ControlledOptions
  readonly #inner: WebSocketLike
  readonly #toServer: FrameDelay
  readonly #toClient: FrameDelay
  // The state as seen by the client. The real socket may be ahead of it.
  #readyState = 0
  #delayedBytes = 0

  constructor(options: ControlledOptions) {
    super()
    const inner = new options.WebSocket(options.url, options.protocols)
    const toClient = createFrameDelay(options.clock)
    this.#options = options
    this.#inner = inner
    this.#toClient = toClient
    this.#toServer = createFrameDelay(options.clock)
    inner.addEventListener('open', () => toClient.put(() => this.#open()))
    inner.addEventListener('message', ({ data }) => toClient.put(() => this.#deliver(data)))
    inner.addEventListener('error', () => toClient.put(() => this.#emit('error')))
    inner.addEventListener('close', ({ code = 1006, reason = '' }) => toClient.put(() => this.#end(code, reason)))
  }

  get protocol(): string {
    return this.#inner.protocol
  }

  get readyState(): number {
    return this.#readyState
  }

  get bufferedAmount(): number {
    return this.#delayedBytes + this.#inner.bufferedAmount
  }

  send(text: string): void {
    if (this.#readyState === 0) throw new DOMException('the socket is not open yet', 'InvalidStateError')
    if (this.#readyState !== 1) return
    this.#options.onFrame('client', text)
    this.#delayedBytes += text.length
    this.#toServer.put(() => {
      this.#delayedBytes -= text.length
      // The server may have closed the connection in the meantime. The frame is then lost, as on a real network.
      if (this.#inner.readyState === 1) this.#inner.send(text)
    })
  }

  close(code?: number, reason?: string): void {
    if (this.#readyState > 1) return
    this.#readyState = 2
    // The close is delayed as well, so that it follows the frames sent earlier.
    this.#toServer.put(() => this.#inner.close(code, reason))
  }

  /** Ends the connection as if the network were disconnected. */
  cut(reason: string): void {
    this.#end(1006, reason)
    this.#inner.close()
  }

  hold(isHeld: boolean): void {
    this.#toClient.hold(isHeld)
  }

  setDelay(ms: number): void {
    this.#toServer.setDelay(ms)
    this.#toClient.setDelay(ms)
  }

  held(): number {
    return this.#toServer.size() + this.#toClient.size()
  }

  #open(): void {
    if (this.#readyState !== 0) return
    this.#readyState = 1
    this.#options.onOpen(this.#inner.protocol)
    this.#emit('open')
  }

  #deliver(data: unknown): void {
    // As in browsers, a closing socket receives no further messages.
    if (this.#readyState !== 1) return
    this.#options.onFrame('server', String(data))
    this.#emit('message', { data })
  }

  #end(code: number, reason: string): void {
    if (this.#readyState === 3) return
    this.#readyState = 3
    this.#toServer.cut()
    this.#toClient.cut()
    this.#options.onClose(code, reason)
    this.#emit('close', { code, reason })
  }

  #emit(type: string, members: object = {}): void {
    this.dispatchEvent(Object.assign(new Event(type), members))
  }
}
