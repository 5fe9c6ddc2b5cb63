import { afterClose, ApiError, CLOSE, codeOfStatus, isApiError, toSubprotocols } from '@sdk/protocol'
import { backoffDelay } from './backoff.ts'
import { toApiError } from './failure.ts'
import { systemClock, type Clock } from './clock.ts'
import {
  openConnection,
  type Connection,
  type ConnectionEvents,
  type ConnectionOptions,
  type HelloFrame,
  type WebSocketClass,
  type WelcomeFrame,
} from './connection.ts'

/** Where a socket stands. `closed` and `failed` are ends, the second one with an error. */
export type SocketStatus = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed' | 'failed'

/** Options of `createReconnectingSocket` that have defaults. */
export interface SocketSettings {
  /** @default the platform's */
  WebSocket?: WebSocketClass | undefined
  /** Asked at every attempt; `force` after the server refused the last token. @default no token */
  token?: ((options: { force: boolean }) => Promise<string | null>) | undefined
  /** How long a connection may take to open in ms. @default 10_000 */
  openTimeoutMs?: number | undefined
  /** How long the server may take to answer a probe in ms. @default 5_000 */
  probeTimeoutMs?: number | undefined
  /** After so long open in ms, a connection counts as stable, and failures count from zero again. @default 10_000 */
  stableMs?: number | undefined
  clock?: Clock | undefined
  random?: (() => number) | undefined
}

/** Options of `createReconnectingSocket`. */
export interface ReconnectingSocketOptions extends SocketSettings, Omit<ConnectionEvents, 'onClose'> {
  url: string
  /** The first frame of every connection. */
  hello: () => HelloFrame
  /** `error` says why; without it the last one stands, until `open`. */
  onStatus(status: SocketStatus, error?: ApiError): void
}

/** A WebSocket of `sdk.v1` that comes back. */
export interface ReconnectingSocket {
  /** Sends the text of a frame; only while the status is `open`. */
  send(text: string): void
  /** Ends it for good. */
  close(): void
}

/** The least wait in ms where the server asked for patience. */
const LATER_MS = 5000

/** Opens a socket and keeps it open, by the rules of the close codes; what its messages mean is the caller's. */
export function createReconnectingSocket(options: ReconnectingSocketOptions): ReconnectingSocket {
  const { WebSocket = globalThis.WebSocket } = options
  if (WebSocket === undefined) throw new TypeError('there is no WebSocket here: pass one as { WebSocket }')
  return new Reconnecting({
    ...options,
    WebSocket,
    clock: options.clock ?? systemClock,
    openTimeoutMs: options.openTimeoutMs ?? 10_000,
    probeTimeoutMs: options.probeTimeoutMs ?? 5000,
  })
}

type Settled = ReconnectingSocketOptions &
  Pick<ConnectionOptions, 'WebSocket' | 'clock' | 'openTimeoutMs' | 'probeTimeoutMs'>

class Reconnecting implements ReconnectingSocket {
  #options: Settled
  #connection: Connection | null = null
  #failures = 0
  #spreadMs = 0
  #wasRefused = false
  #isEnded = false
  #stopTimer = (): void => {}

  constructor(options: Settled) {
    this.#options = options
    void this.#connect('connecting')
  }

  send(text: string): void {
    this.#connection?.send(text)
  }

  close(): void {
    this.#end('closed')
  }

  async #connect(status: SocketStatus, force = false): Promise<void> {
    this.#options.onStatus(status)
    try {
      const token = (await this.#options.token?.({ force })) ?? null
      if (!this.#isEnded) this.#open(toSubprotocols(token))
    } catch (cause) {
      const canRetry = isApiError(cause) && cause.status !== 401
      if (!canRetry) this.#end('failed', toApiError(cause))
      else if (!this.#isEnded) this.#retry(cause)
    }
  }

  #open(protocols: string[]): void {
    this.#connection = openConnection({
      ...this.#options,
      protocols,
      onReady: (welcome) => this.#ready(welcome),
      onFrame: (frame) => (frame.o === 'bye' ? this.#leave(frame.after) : this.#options.onFrame(frame)),
      onClose: (code, reason) => this.#closed(code, reason),
    })
  }

  #ready(welcome: WelcomeFrame): void {
    this.#spreadMs = welcome.spread
    this.#later(this.#options.stableMs ?? 10_000, () => {
      this.#failures = 0
      this.#wasRefused = false
    })
    this.#options.onStatus('open')
    this.#options.onReady(welcome)
  }

  /** The server goes away soon: come back when it says, before it hangs up. */
  #leave(afterMs: number): void {
    this.#later(afterMs, () => {
      this.#drop()
      void this.#connect('reconnecting')
    })
  }

  #closed(code: number, reason: string): void {
    if (this.#connection === null) return // we dropped it ourselves
    this.#drop()
    const next = afterClose(code)
    const error = closeError(code, reason)
    if (code === CLOSE.finished) this.#end('closed')
    else if (next === 'stop' || (next === 'refresh' && this.#wasRefused)) this.#end('failed', error)
    else if (next === 'refresh') this.#refresh()
    else this.#retry(error, next === 'retry-later' ? LATER_MS : 0)
  }

  #refresh(): void {
    this.#wasRefused = true
    void this.#connect('reconnecting', true)
  }

  #retry(error: ApiError, leastMs = 0): void {
    const { random } = this.#options
    // The server knows how many clients it has, so it says over how long the first retries spread.
    const spread = this.#failures === 0 ? { base: Math.max(500, this.#spreadMs) } : {}
    const delay = Math.max(leastMs, backoffDelay(this.#failures++, { random, ...spread }))
    this.#later(delay, () => void this.#connect('reconnecting'))
    this.#options.onStatus('reconnecting', error)
  }

  #later(ms: number, run: () => void): void {
    this.#stopTimer()
    this.#stopTimer = this.#options.clock.after(ms, run)
  }

  #drop(): void {
    this.#stopTimer()
    const dropped = this.#connection
    this.#connection = null
    dropped?.close()
  }

  #end(status: SocketStatus, error?: ApiError): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#drop()
    this.#options.onStatus(status, error)
  }
}

function closeError(code: number, reason: string): ApiError {
  const why = reason === '' ? '' : `: ${reason}`
  return code >= 4400 && code < 4600
    ? new ApiError(codeOfStatus(code - 4000), `The server closed the socket (${code}${why})`, { status: code - 4000 })
    : new ApiError('NETWORK_ERROR', `The connection was lost (${code}${why})`)
}
