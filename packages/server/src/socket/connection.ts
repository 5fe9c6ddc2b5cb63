import {
  ApiError,
  CLOSE,
  decodeClientFrame,
  encodeFrame,
  toEnvelope,
  type ClientFrame,
  type ServerFrame,
} from '@sdk/protocol'
import { toApiError } from '../http/error-response.ts'
import type { Arrival, Connection } from './hub.ts'
import { parseData } from './incoming.ts'
import type { SocketLimits } from './limits.ts'
import type { Link } from './link.ts'
import { Pace } from './pace.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import { expiryOf, type SignedIn, type SignIns } from './sign-ins.ts'
import type { SharedText, Wire } from './wire.ts'

/** What connections work with. */
export interface ConnectionParts {
  readonly sessions: Sessions
  readonly signIns: SignIns
  readonly limits: Required<SocketLimits>
  readonly now: () => number
}

type Hello = Extract<ClientFrame, { o: 'hi' }>

/** What raw and `sdk.v1` connections have in common: limits, heartbeats, and the end of the user's session. */
abstract class SocketConnection implements Connection, Link, SignedIn {
  protected readonly arrival: Arrival
  protected readonly parts: ConnectionParts
  protected readonly wire: Wire
  protected session: Session | null = null
  protected isEnded = false
  /** When the user's session ends, in ms since 1970. */
  expiresAt: number
  #isClosing = false
  /** Has its user's session ended? Then nobody may come back to it. */
  protected isSignedOut = false
  #isSlow = false
  #wasHeard = true
  #heardAt = 0
  #received = 0
  #pingedAt: number
  #flushed = 0
  #flushedAt: number

  constructor(arrival: Arrival, parts: ConnectionParts) {
    this.arrival = arrival
    this.parts = parts
    this.wire = arrival.wire
    this.expiresAt = expiryOf(arrival.auth)
    this.#pingedAt = this.#flushedAt = parts.now()
  }

  abstract bye(afterMs: number): void
  abstract tell(frame: ServerFrame): void
  protected abstract take(text: string): void
  protected abstract ping(): void

  receive(text: string): void {
    this.#wasHeard = true
    if (!this.#isClosing) this.take(text)
  }

  heard(): void {
    this.#wasHeard = true
  }

  drained(): void {
    this.#isSlow = false
    this.session?.drained()
  }

  send(text: string): boolean {
    if (this.#isTooSlow()) return false
    this.wire.send(text)
    return true
  }

  sendShared(shared: SharedText): boolean {
    if (this.#isTooSlow()) return false
    this.wire.sendShared(shared)
    return true
  }

  pause(): void {
    this.wire.pause()
  }

  resume(): void {
    this.wire.resume()
  }

  close(code: number, reason: string): void {
    this.#isClosing = true
    this.wire.close(code, reason)
  }

  get userSession(): string {
    return this.arrival.auth?.session.id ?? ''
  }

  end(reason: string): void {
    this.isSignedOut = true
    // A newer connection may have it by now.
    if (this.session?.link === this) this.session.incoming.drop()
    this.close(CLOSE.unauthorized, reason)
  }

  tick(now: number): void {
    const { heartbeat, silence } = this.parts.limits
    // A client that we do not read must not count as silent, nor one in the middle of a large message.
    const isUnread = this.session?.incoming.isPaused === true || this.#isSending()
    if (this.#wasHeard || isUnread) this.#heardAt = now
    this.#wasHeard = false
    if (now - this.#heardAt > silence) return this.wire.terminate()
    if (this.#isClosing) return
    if (this.#isStuck(now)) return this.close(CLOSE.slowConsumer, 'too slow')
    if (Date.now() >= this.expiresAt) return this.parts.signIns.expired(this)
    // Until we have read it, a client may ask whether we are there: it takes any frame for an answer.
    if (isUnread || now - this.#pingedAt >= heartbeat) {
      this.#pingedAt = now
      this.ping()
    }
  }

  async settled(): Promise<void> {
    await this.session?.settled()
  }

  async ended(): Promise<void> {
    this.isEnded = this.#isClosing = true
    this.parts.signIns.delete(this)
    const { session } = this
    if (session === null || session.link !== this) return
    const closed = session.detach(this)
    this.leave(session)
    await closed
  }

  protected leave(session: Session): void {
    this.parts.sessions[this.isSignedOut ? 'forget' : 'away'](session)
  }

  #isSending(): boolean {
    const before = this.#received
    this.#received = this.wire.received
    return !this.#wasHeard && this.session !== null && this.#received !== before
  }

  #isTooSlow(): boolean {
    if (!this.#isSlow && this.wire.buffered > this.parts.limits.buffer) this.#isSlow = true
    return this.#isSlow
  }

  #isStuck(now: number): boolean {
    const { flushed, buffered } = this.wire
    if (buffered === 0 || flushed !== this.#flushed) {
      this.#flushed = flushed
      this.#flushedAt = now
    }
    return now - this.#flushedAt > this.parts.limits.slow
  }
}

/** Encoded once: a client that floods us must not cost us work for each of its frames. */
const TOO_FAST = JSON.stringify(toEnvelope(new ApiError('TOO_MANY_REQUESTS', 'you send faster than you may')))
const NOT_JSON = JSON.stringify(toEnvelope(new ApiError('INVALID_REQUEST', 'a message is JSON')))

/** One JSON message a frame: any WebSocket client can. */
export class RawConnection extends SocketConnection {
  readonly #pace: Pace
  #overSince: number | null = null
  #overAt = 0

  constructor(arrival: Arrival, parts: ConnectionParts) {
    super(arrival, parts)
    this.#pace = new Pace(parts.limits.rate)
    this.session = parts.sessions.createRaw(arrival)
    this.session.attach(this, arrival, { upTo: 0, places: new Map() })
  }

  bye(): void {
    // A raw client learns it from the close.
  }

  tell(): void {
    // A raw client knows no frames.
  }

  protected ping(): void {
    this.wire.ping()
  }

  protected take(text: string): void {
    if (this.#isOver()) return void this.send(TOO_FAST)
    const data = parseData(text)
    if (data === undefined) return void this.send(NOT_JSON)
    const number = (this.session?.incoming.received ?? 0) + 1
    this.session?.receive({ number, data, isRedelivered: false, size: text.length, hasEscapes: text.includes('\\u') })
  }

  /** Is it over its rate? Who goes on for long is sent away. */
  #isOver(): boolean {
    const now = this.parts.now()
    if (this.#pace.take(now) === 0) return false
    this.#pace.giveBack()
    if (this.#overSince === null || now - this.#overAt > 1_000) this.#overSince = now
    this.#overAt = now
    if (now - this.#overSince >= this.parts.limits.abuse) this.close(CLOSE.tooMany, 'too many messages')
    return true
  }
}

/** The largest number of messages that a client may say it has got: counting on from there is still exact. */
const MAX_RX = 2 ** 52

/** `sdk.v1`: numbered messages, acknowledged when their handler has finished. */
export class SdkConnection extends SocketConnection {
  readonly #startedAt: number
  #isGreeted = false
  readonly #held: string[] = []
  #heldBytes = 0

  constructor(arrival: Arrival, parts: ConnectionParts) {
    super(arrival, parts)
    this.#startedAt = parts.now()
  }

  bye(after: number): void {
    this.tell({ o: 'bye', after, why: 'restart' })
  }

  tell(frame: ServerFrame): void {
    this.wire.send(encodeFrame(frame))
  }

  override tick(now: number): void {
    if (!this.#isGreeted && now - this.#startedAt > this.parts.limits.helloTimeout)
      return this.close(CLOSE.timeout, 'no hi')
    super.tick(now)
  }

  protected ping(): void {
    this.tell({ o: 'p' })
  }

  protected take(text: string): void {
    if (!this.#isGreeted && text.length > this.parts.limits.hello)
      return this.close(CLOSE.tooLarge, 'the hi is too large')
    if (this.#isGreeted && this.session === null) return this.#hold(text)
    const frame = decodeClientFrame(text)
    if (frame === null || (frame.o === 'm' && this.session === null)) return this.close(CLOSE.badProtocol, 'bad frame')
    if (this.session !== null) this.session.hasSpoken = true
    if (frame.o === 'm') this.#message(frame, text)
    else if (frame.o === 'hi') void this.#greet(frame)
    else if (frame.o === 'p') this.tell({ o: 'q' })
    else if (frame.o === 'a' && frame.s === undefined) this.session?.outgoing.forget(frame.i)
  }

  /** Keeps frames that come before its session is found. They are handled after that. */
  #hold(text: string): void {
    const { window, inboxBytes } = this.parts.limits
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
      toApiError(error, () => this.arrival.log)
      this.close(CLOSE.setupFailed, 'setup failed')
    }
  }

  async #welcome({ sid: known, rx: said, pos }: Hello): Promise<void> {
    const rx = Math.min(said, MAX_RX)
    const { session, sid, isResumed, hasGap } = await this.parts.sessions.find(this.arrival, known, rx)
    if (this.isEnded || this.isSignedOut) return session.link === null ? this.leave(session) : undefined
    session.replace()
    this.session = session
    const { heartbeat: hb, window: win, payload: max, spread } = this.parts.limits
    const exp = Number.isFinite(this.expiresAt) ? { exp: this.expiresAt } : {}
    this.tell({ o: 'ok', sid, res: isResumed, ack: session.incoming.handled, hb, win, max, spread, ...exp })
    if (hasGap) this.tell({ o: 'gap', from: rx, to: rx })
    session.attach(this, this.arrival, { upTo: isResumed ? rx : 0, places: new Map(Object.entries(pos)) })
  }
}
