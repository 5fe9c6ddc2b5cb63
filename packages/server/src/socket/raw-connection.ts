import type { AcceptedClient } from './accepted-client.ts'
import { ApiError, toEnvelope } from '@sdk/protocol'
import { END } from './connection-end.ts'
import { SocketConnection, type ConnectionDependencies } from './socket-connection.ts'
import { MessageRate } from './message-rate.ts'

/** Encoded once: a client that floods us must not cost us work for each of its frames. */
const TOO_FAST = JSON.stringify(toEnvelope(new ApiError('TOO_MANY_REQUESTS', 'you send faster than you may')))
const NOT_JSON = JSON.stringify(toEnvelope(new ApiError('INVALID_REQUEST', 'a message is JSON')))

/** One JSON message a frame: any WebSocket client can. */
export class RawConnection extends SocketConnection {
  readonly #rate: MessageRate
  #overSince: number | null = null
  #overAt = 0

  constructor(client: AcceptedClient, deps: ConnectionDependencies) {
    super(client, deps, { phase: 'open' })
    this.#rate = new MessageRate(deps.limits.rate)
    this.session = deps.sessions.createRaw(client)
    this.session.attach(this, client, { upTo: 0, positions: new Map() })
  }

  requestReconnect(): void {
    // A raw client learns it from the close.
  }

  sendFrame(): void {
    // A raw client knows no frames.
  }

  protected ping(): void {
    this.transport.ping()
  }

  protected onText(text: string): void {
    if (this.#isOver()) return void this.send(TOO_FAST)
    const data = parseData(text)
    if (data === undefined) return void this.send(NOT_JSON)
    const number = (this.session?.inbox.received ?? 0) + 1
    this.session?.receive({ number, data, isRedelivered: false }, text)
  }

  /** Is it over its rate limit? A client that stays over it is closed. */
  #isOver(): boolean {
    const now = this.deps.now()
    if (this.#rate.consume(now) === 0) return false
    this.#rate.refund()
    if (this.#overSince === null || now - this.#overAt > 1_000) this.#overSince = now
    this.#overAt = now
    if (now - this.#overSince >= this.deps.limits.abuse) this.close(END.tooManyMessages)
    return true
  }
}

/** What a text says, as JSON; undefined where it is none. */
function parseData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON text stands for undefined
  }
}
