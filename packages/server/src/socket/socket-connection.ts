import type { Arrival, Connection } from './arrival.ts'
import { CLOSE, type ServerFrame } from '@sdk/protocol'
import type { SocketLimits } from './limits.ts'
import type { Link } from './client-link.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import { expiryOf, type SignedIn, type SignIns } from './session-expiry.ts'
import type { SharedText, Wire } from './transport.ts'

/** What connections work with. */
export interface ConnectionParts {
  readonly sessions: Sessions
  readonly signIns: SignIns
  readonly limits: Required<SocketLimits>
  readonly now: () => number
}

/** What raw and `sdk.v1` connections have in common: limits, heartbeats, and the end of the user's session. */
export abstract class SocketConnection implements Connection, Link, SignedIn {
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
