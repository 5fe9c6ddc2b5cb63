import type { AcceptedClient } from './accepted-client.ts'
import { ApiError, toEnvelope } from '@sdk/protocol'
import { END } from './connection-end.ts'
import { SocketConnection, type ConnectionDependencies } from './socket-connection.ts'
import { MessageRate } from './message-rate.ts'

/** The error messages. They are encoded only once, so that rejecting messages over the rate limit is cheap. */
const TOO_FAST = JSON.stringify(toEnvelope(new ApiError('TOO_MANY_REQUESTS', 'message rate limit exceeded')))
const NOT_JSON = JSON.stringify(toEnvelope(new ApiError('INVALID_REQUEST', 'a message must be valid JSON')))

/** A connection with one JSON message per frame, for any WebSocket client. */
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
    // A raw client cannot be asked to reconnect. It only receives the close frame.
  }

  sendFrame(): void {
    // A raw client does not support protocol frames.
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

  /** Returns whether the client exceeds its rate limit. Closes the connection if the client keeps exceeding it. */
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

/** Parses JSON. Returns undefined if the string is not valid JSON. */
function parseData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // JSON cannot represent undefined
  }
}
