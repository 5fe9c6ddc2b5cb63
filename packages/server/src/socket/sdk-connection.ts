import type { AcceptedClient } from './accepted-client.ts'
import { CLOSE, decodeClientFrame, encodeFrame, type ClientFrame, type ServerFrame } from '@sdk/protocol'
import { toApiError } from '../http/error-response.ts'
import { SocketConnection, type ConnectionDependencies } from './socket-connection.ts'

type Hello = Extract<ClientFrame, { o: 'hi' }>

/** The largest number of messages that a client may say it has got: counting on from there is still exact. */
const MAX_RX = 2 ** 52

/** `sdk.v1`: numbered messages, acknowledged when their handler has finished. */
export class SdkConnection extends SocketConnection {
  readonly #startedAt: number
  #isGreeted = false
  readonly #held: string[] = []
  #heldBytes = 0

  constructor(arrival: AcceptedClient, parts: ConnectionDependencies) {
    super(arrival, parts)
    this.#startedAt = parts.now()
  }

  requestReconnect(after: number): void {
    this.sendFrame({ o: 'bye', after, why: 'restart' })
  }

  sendFrame(frame: ServerFrame): void {
    this.transport.send(encodeFrame(frame))
  }

  override tick(now: number): void {
    if (!this.#isGreeted && now - this.#startedAt > this.deps.limits.helloTimeout)
      return this.close(CLOSE.timeout, 'no hi')
    super.tick(now)
  }

  protected ping(): void {
    this.sendFrame({ o: 'p' })
  }

  protected onText(text: string): void {
    if (!this.#isGreeted && text.length > this.deps.limits.hello)
      return this.close(CLOSE.tooLarge, 'the hi is too large')
    if (this.#isGreeted && this.session === null) return this.#hold(text)
    const frame = decodeClientFrame(text)
    if (frame === null || (frame.o === 'm' && this.session === null)) return this.close(CLOSE.badProtocol, 'bad frame')
    if (this.session !== null) this.session.hasReceivedFrame = true
    if (frame.o === 'm') this.#message(frame, text)
    else if (frame.o === 'hi') void this.#greet(frame)
    else if (frame.o === 'p') this.sendFrame({ o: 'q' })
    else if (frame.o === 'a' && frame.s === undefined) this.session?.outbox.forget(frame.i)
  }

  /** Keeps frames that come before its session is found. They are handled after that. */
  #hold(text: string): void {
    const { window, inboxBytes } = this.deps.limits
    this.#heldBytes += text.length
    if (this.#held.push(text) > window || this.#heldBytes > inboxBytes) this.close(CLOSE.badProtocol, 'wait for the ok')
  }

  #message({ i: number, d: data, r }: Extract<ClientFrame, { o: 'm' }>, text: string): void {
    this.session?.receive({ number, data, isRedelivered: r === 1, size: text.length, hasEscapes: text.includes('\\u') })
  }

  async #greet(hello: Hello): Promise<void> {
    if (this.#isGreeted) return this.close(CLOSE.badProtocol, 'hi was said already')
    this.#isGreeted = true
    try {
      await this.#welcome(hello)
      for (const text of this.#held.splice(0)) this.receive(text)
    } catch (error) {
      toApiError(error, () => this.client.log)
      this.close(CLOSE.setupFailed, 'setup failed')
    }
  }

  async #welcome({ sid: known, rx: said, pos }: Hello): Promise<void> {
    const rx = Math.min(said, MAX_RX)
    const { session, sid, isResumed, hasGap } = await this.deps.sessions.find(this.client, known, rx)
    if (this.isEnded || this.isSignedOut) return session.link === null ? this.leave(session) : undefined
    session.replace()
    this.session = session
    const { heartbeat: hb, window: win, payload: max, spread } = this.deps.limits
    const exp = Number.isFinite(this.expiresAt) ? { exp: this.expiresAt } : {}
    this.sendFrame({ o: 'ok', sid, res: isResumed, ack: session.inbox.handled, hb, win, max, spread, ...exp })
    if (hasGap) this.sendFrame({ o: 'gap', from: rx, to: rx })
    session.attach(this, this.client, { upTo: isResumed ? rx : 0, positions: new Map(Object.entries(pos)) })
  }
}
