import { decodeClientFrame, encodeFrame, type ClientFrame, type ServerFrame } from '@sdk/protocol'
import { toApiError } from '../http/error-response.ts'
import type { AcceptedClient } from './accepted-client.ts'
import { END } from './connection-end.ts'
import { SocketConnection, type ConnectionDependencies } from './socket-connection.ts'

type Hello = Extract<ClientFrame, { o: 'hi' }>

/** The highest message number that a client can claim to have received, so that later numbers remain safe integers. */
const MAX_RX = 2 ** 52

/** An `sdk.v1` connection. Messages are numbered, and each is acknowledged when its handler has finished. */
export class SdkConnection extends SocketConnection {
  readonly #startedAt: number
  /** Frames that were received before the session was found. They are handled afterwards. */
  #early: string[] | null = null
  #earlyBytes = 0
  /** The number of pings that have not been answered with a pong. */
  #unanswered = 0
  /** The process's standstill count when the last ping was sent. */
  #standstills = 0

  constructor(client: AcceptedClient, deps: ConnectionDependencies) {
    super(client, deps, { phase: 'greeting' })
    this.#startedAt = deps.now()
  }

  requestReconnect(after: number): void {
    this.sendFrame({ o: 'bye', after, why: 'restart' })
  }

  sendFrame(frame: ServerFrame): void {
    this.transport.send(encodeFrame(frame))
  }

  override tick(now: number): void {
    const isLate = this.state.phase === 'greeting' && now - this.#startedAt > this.deps.limits.helloTimeout
    if (isLate) return this.close(END.helloTimeout)
    super.tick(now)
    if (this.session?.isDoubtful === true && this.#standstills !== this.#countStandstills()) this.ping()
  }

  protected ping(): void {
    this.#unanswered += 1
    this.#standstills = this.#countStandstills()
    this.sendFrame({ o: 'p' })
  }

  /** Counts a pong. Pongs arrive in order, so if none is missing, the client has received the last ping. */
  #onAnswer(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1)
    if (this.#unanswered === 0) this.session?.onAnswer(this.#standstills)
  }

  #countStandstills(): number {
    return this.session?.deps.standstills.count() ?? 0
  }

  protected onText(text: string): void {
    const { phase } = this.state
    if (phase === 'resuming') return this.#keepEarly(text)
    if (phase === 'greeting' && text.length > this.deps.limits.hello) return this.close(END.helloTooLarge)
    const frame = decodeClientFrame(text)
    if (frame === null || (frame.o === 'm' && this.session === null)) return this.close(END.badFrame)
    if (this.session !== null) this.session.hasReceivedFrame = true
    if (frame.o === 'm') this.#message(frame, text)
    else if (frame.o === 'hi') void this.#greet(frame)
    else if (frame.o === 'p') this.sendFrame({ o: 'q' })
    else if (frame.o === 'q') this.#onAnswer()
    else if (frame.o === 'a' && frame.s === undefined) this.session?.outbox.forget(frame.i)
  }

  #keepEarly(text: string): void {
    const { window, inboxBytes } = this.deps.limits
    this.#earlyBytes += text.length
    this.#early ??= []
    if (this.#early.push(text) > window || this.#earlyBytes > inboxBytes) this.close(END.tooEarly)
  }

  #message({ i: number, d: data, r }: Extract<ClientFrame, { o: 'm' }>, text: string): void {
    this.session?.receive({ number, data, isRedelivered: r === 1 }, text)
  }

  async #greet(hello: Hello): Promise<void> {
    if (this.state.phase !== 'greeting') return this.close(END.helloRepeated)
    this.enter({ phase: 'resuming' })
    try {
      await this.#welcome(hello)
      const early = this.#early ?? []
      this.#early = null
      for (const text of early) this.receive(text)
    } catch (error) {
      toApiError(error, () => this.client.log)
      this.close(END.setupFailed)
    }
  }

  async #welcome({ sid: known, rx: received, pos }: Hello): Promise<void> {
    const rx = Math.min(received, MAX_RX)
    const { session, sid, isResumed, hasGap } = await this.deps.sessions.find(this.client, known, rx)
    const { state } = this
    const isOver = state.phase === 'closed' || (state.phase === 'closing' && !state.end.keepsSession)
    if (isOver) return session.link === null ? this.leave(session) : undefined
    session.replace()
    this.session = session
    this.enter({ phase: 'open' })
    const { heartbeat: hb, window: win, payload: max, spread } = this.deps.limits
    const exp = Number.isFinite(this.expiresAt) ? { exp: this.expiresAt } : {}
    this.sendFrame({ o: 'ok', sid, res: isResumed, ack: session.inbox.handled, hb, win, max, spread, ...exp })
    if (hasGap) this.sendFrame({ o: 'gap', from: rx, to: rx })
    session.attach(this, this.client, { upTo: isResumed ? rx : 0, positions: new Map(Object.entries(pos)) })
  }
}
