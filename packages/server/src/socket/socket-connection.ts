import type { AcceptedClient, ClientConnection } from './accepted-client.ts'
import { CLOSE, type ServerFrame } from '@sdk/protocol'
import type { SocketLimits } from './limits.ts'
import type { ClientLink } from './client-link.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import { expiryOf, type AuthenticatedConnection, type AuthenticatedConnections } from './authenticated-connections.ts'
import type { SharedText, Transport } from './transport.ts'

/** What connections work with. */
export interface ConnectionDependencies {
  readonly sessions: Sessions
  readonly authenticated: AuthenticatedConnections
  readonly limits: Required<SocketLimits>
  readonly now: () => number
}

/** What raw and `sdk.v1` connections have in common: limits, heartbeats, and the end of the user's session. */
export abstract class SocketConnection implements ClientConnection, ClientLink, AuthenticatedConnection {
  protected readonly client: AcceptedClient
  protected readonly deps: ConnectionDependencies
  protected readonly transport: Transport
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

  constructor(arrival: AcceptedClient, parts: ConnectionDependencies) {
    this.client = arrival
    this.deps = parts
    this.transport = arrival.transport
    this.expiresAt = expiryOf(arrival.auth)
    this.#pingedAt = this.#flushedAt = parts.now()
  }

  abstract requestReconnect(afterMs: number): void
  abstract sendFrame(frame: ServerFrame): void
  protected abstract onText(text: string): void
  protected abstract ping(): void

  receive(text: string): void {
    this.#wasHeard = true
    if (!this.#isClosing) this.onText(text)
  }

  markAlive(): void {
    this.#wasHeard = true
  }

  onDrain(): void {
    this.#isSlow = false
    this.session?.onDrain()
  }

  send(text: string): boolean {
    if (this.#isTooSlow()) return false
    this.transport.send(text)
    return true
  }

  sendShared(shared: SharedText): boolean {
    if (this.#isTooSlow()) return false
    this.transport.sendShared(shared)
    return true
  }

  pause(): void {
    this.transport.pause()
  }

  resume(): void {
    this.transport.resume()
  }

  close(code: number, reason: string): void {
    this.#isClosing = true
    this.transport.close(code, reason)
  }

  get userSessionId(): string {
    return this.client.auth?.session.id ?? ''
  }

  end(reason: string): void {
    this.isSignedOut = true
    // A newer connection may have it by now.
    if (this.session?.link === this) this.session.incoming.drop()
    this.close(CLOSE.unauthorized, reason)
  }

  tick(now: number): void {
    const { heartbeat, silence } = this.deps.limits
    // A client that we do not read must not count as silent, nor one in the middle of a large message.
    const isUnread = this.session?.inbox.isPaused === true || this.#isSending()
    if (this.#wasHeard || isUnread) this.#heardAt = now
    this.#wasHeard = false
    if (now - this.#heardAt > silence) return this.transport.terminate()
    if (this.#isClosing) return
    if (this.#isStuck(now)) return this.close(CLOSE.slowConsumer, 'too slow')
    if (Date.now() >= this.expiresAt) return this.deps.authenticated.onExpired(this)
    // Until we have read it, a client may ask whether we are there: it takes any frame for an answer.
    if (isUnread || now - this.#pingedAt >= heartbeat) {
      this.#pingedAt = now
      this.ping()
    }
  }

  async settled(): Promise<void> {
    await this.session?.settled()
  }

  async onClose(): Promise<void> {
    this.isEnded = this.#isClosing = true
    this.deps.authenticated.delete(this)
    const { session } = this
    if (session === null || session.link !== this) return
    const closed = session.detach(this)
    this.leave(session)
    await closed
  }

  protected leave(session: Session): void {
    this.deps.sessions[this.isSignedOut ? 'forget' : 'away'](session)
  }

  #isSending(): boolean {
    const before = this.#received
    this.#received = this.transport.received
    return !this.#wasHeard && this.session !== null && this.#received !== before
  }

  #isTooSlow(): boolean {
    if (!this.#isSlow && this.transport.buffered > this.deps.limits.buffer) this.#isSlow = true
    return this.#isSlow
  }

  #isStuck(now: number): boolean {
    const { flushed, buffered } = this.transport
    if (buffered === 0 || flushed !== this.#flushed) {
      this.#flushed = flushed
      this.#flushedAt = now
    }
    return now - this.#flushedAt > this.deps.limits.slow
  }
}
