import type { ServerFrame } from '@sdk/protocol'
import type { AcceptedClient, ClientConnection } from './accepted-client.ts'
import { expiryOf, type AuthenticatedConnection, type AuthenticatedConnections } from './authenticated-connections.ts'
import type { ClientLink } from './client-link.ts'
import { END, type ConnectionEnd } from './connection-end.ts'
import { transition, type ConnectionState } from './connection-state.ts'
import type { SocketLimits } from './limits.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { SharedText, Transport } from './transport.ts'

/** The dependencies that all connections of a process share. */
export interface ConnectionDependencies {
  readonly sessions: Sessions
  readonly authenticated: AuthenticatedConnections
  readonly limits: Required<SocketLimits>
  readonly now: () => number
}

/** The base class of raw and `sdk.v1` connections. It handles limits, heartbeats, and the end of the user's session. */
export abstract class SocketConnection implements ClientConnection, ClientLink, AuthenticatedConnection {
  protected readonly client: AcceptedClient
  protected readonly deps: ConnectionDependencies
  protected readonly transport: Transport
  protected session: Session | null = null
  /** The time at which the user's session expires, in ms since the Unix epoch. */
  expiresAt: number
  #state: ConnectionState
  /** Whether the client is too slow. This is separate from the state, because a client can be too slow in any state. */
  #isSlow = false
  #wasActive = true
  #activeAt = 0
  #received = 0
  #pingedAt: number
  #flushed = 0
  #flushedAt: number

  constructor(client: AcceptedClient, deps: ConnectionDependencies, state: ConnectionState) {
    this.client = client
    this.deps = deps
    this.transport = client.transport
    this.expiresAt = expiryOf(client.auth)
    this.#state = state
    this.#pingedAt = this.#flushedAt = deps.now()
  }

  abstract requestReconnect(afterMs: number): void
  abstract sendFrame(frame: ServerFrame): void
  protected abstract onText(text: string): void
  protected abstract ping(): void

  protected get state(): ConnectionState {
    return this.#state
  }

  protected enter(state: ConnectionState): void {
    this.#state = transition(this.#state, state)
  }

  receive(text: string): void {
    this.#wasActive = true
    if (!('end' in this.#state)) this.onText(text)
  }

  markAlive(): void {
    this.#wasActive = true
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

  close(end: ConnectionEnd, reason: string = end.reason): void {
    this.enter({ phase: 'closing', end })
    this.transport.close(end.code, reason)
  }

  get userSessionId(): string {
    return this.client.auth?.session.id ?? ''
  }

  end(reason: string): void {
    // A newer connection may already own the session.
    if (this.session?.link === this) this.session.inbox.drop()
    this.close(END.signOut, reason)
  }

  tick(now: number): void {
    const { heartbeat, silence } = this.deps.limits
    // A client that is paused, or is still sending a large message, must not count as silent.
    const isUnread = this.session?.inbox.isPaused === true || this.#isSending()
    if (this.#wasActive || isUnread) this.#activeAt = now
    this.#wasActive = false
    if (now - this.#activeAt > silence) return this.transport.terminate()
    if ('end' in this.#state) return
    if (this.#isStuck(now)) return this.close(END.slowConsumer)
    if (Date.now() >= this.expiresAt) return this.deps.authenticated.onExpired(this)
    // A client whose messages are not being read may be waiting for a pong. It accepts any frame as a pong.
    if (isUnread || now - this.#pingedAt >= heartbeat) {
      this.#pingedAt = now
      this.ping()
    }
  }

  async settled(): Promise<void> {
    await this.session?.settled()
  }

  async onClose(): Promise<void> {
    this.enter({ phase: 'closed', end: END.lost })
    this.deps.authenticated.delete(this)
    const { session } = this
    if (session === null || session.link !== this) return
    const closed = session.detach(this)
    this.leave(session)
    await closed
  }

  protected leave(session: Session): void {
    const isOver = 'end' in this.#state && !this.#state.end.keepsSession
    this.deps.sessions[isOver ? 'forget' : 'retain'](session)
  }

  #isSending(): boolean {
    const before = this.#received
    this.#received = this.transport.received
    return !this.#wasActive && this.session !== null && this.#received !== before
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
