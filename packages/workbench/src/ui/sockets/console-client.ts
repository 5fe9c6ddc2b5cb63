import type { ApiError } from '@sdk/protocol'
import {
  createClient,
  createStore,
  type AuthSource,
  type Clock,
  type SocketStatus,
  type WebSocketClass,
  type WebSocketLike,
} from '@sdk/frontend'
import { explainClose } from './close-codes.ts'
import { createFrameLog, type ConsoleFrame, type FrameLog } from './frame-log.ts'
import { createControlledWire } from './controlled-wire.ts'

/** The kind of client: `sdk.v1` is the SDK's client, and `raw` is a plain WebSocket with one JSON message per frame. */
export type ConsoleMode = 'sdk.v1' | 'raw'

/** The state of a client in the console. */
export interface ConsoleState {
  readonly status: SocketStatus
  readonly isOver: boolean
  readonly error: ApiError | null
  /** The number of messages that the server has not processed yet. */
  readonly pending: number
  readonly lastClose: { readonly code: number; readonly reason: string } | null
  readonly gaps: number
}

/** A client that connects to a socket over a controlled wire. */
export type ConsoleClient = ReturnType<typeof createConsoleClient>

interface ConsoleOptions {
  readonly path: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly mode: ConsoleMode
  /** The source of the token. A raw client sends no token, since browsers cannot set headers for a WebSocket. */
  readonly auth: AuthSource
  /** @default globalThis.WebSocket */
  readonly WebSocket?: WebSocketClass
  readonly clock?: Clock
  /** @default the page's origin */
  readonly baseUrl?: string
}

/** Connects to a socket and logs its events. */
export function createConsoleClient(options: ConsoleOptions) {
  const { WebSocket, clock = pageClock } = options
  const state = createStore<ConsoleState>({
    status: 'connecting',
    isOver: false,
    error: null,
    pending: 0,
    lastClose: null,
    gaps: 0,
  })
  /** Events that are visible to an app: messages, errors and gaps. */
  const messages = createFrameLog({ clock })
  /** Every protocol frame. */
  const frames = createFrameLog({ clock })
  const wire = createControlledWire({
    ...(WebSocket !== undefined && { WebSocket }),
    clock,
    onTry: () => frames.add({ from: 'note', text: `connecting, attempt ${wire.state.get().attempts}` }),
    onOpen: (protocol) => note({ text: `connected${protocol && ` with ${protocol}`}`, tone: 'good' }),
    onFrame(from, text) {
      frames.add({ from, text })
      if (options.mode === 'raw') messages.add({ from, text })
    },
    onClose(code, reason) {
      state.patch({ lastClose: { code, reason } })
      note({ text: `closed with ${code}${reason && ` (${reason})`}: ${explainClose(code).meaning}`, tone: 'bad' })
    },
  })
  const seen: ConsoleSink = { state, messages, note, WebSocket: wire.WebSocket }
  const { send, close } = options.mode === 'raw' ? openRaw(options, seen) : openSdk(options, seen)
  return { state, wire, messages, frames, send, close }

  function note(line: Pick<ConsoleFrame, 'text' | 'tone'>): void {
    messages.add({ from: 'note', ...line })
    frames.add({ from: 'note', ...line })
  }
}

interface ConsoleSink {
  readonly state: ReturnType<typeof createStore<ConsoleState>>
  readonly messages: FrameLog
  note(line: Pick<ConsoleFrame, 'text' | 'tone'>): void
  readonly WebSocket: WebSocketClass
}

interface ConsoleConnection {
  /** Sends JSON text. Returns false if it was rejected. */
  send(text: string): boolean
  close(): void
}

/** Opens a connection with the client that apps use. */
function openSdk({ path, params, query, auth, baseUrl, clock }: ConsoleOptions, seen: ConsoleSink): ConsoleConnection {
  const client = createClient({ WebSocket: seen.WebSocket, auth, baseUrl, clock })
  const channel = client.socket(path, { params: params ?? {}, query })
  watch()
  channel.state.subscribe(watch)
  channel.onMessage((message) => seen.messages.add({ from: 'server', text: JSON.stringify(message) }))
  channel.onGap(({ room, from, to }) => {
    seen.state.patch({ gaps: seen.state.get().gaps + 1 })
    const lost = to - from === 1 ? '1 message was lost' : `${to - from} messages were lost`
    seen.note({ text: `gap: ${lost} in ${room === null ? 'this session' : `the room ${room}`}`, tone: 'warn' })
  })
  return {
    send(text) {
      const isTaken = channel.send(JSON.parse(text))
      seen.messages.add(isTaken ? { from: 'client', text } : { from: 'note', text: 'not accepted', tone: 'bad' })
      return isTaken
    },
    close: channel.close,
  }

  function watch(): void {
    const { status, error, pending } = channel.state.get()
    const { error: before, lastClose } = seen.state.get()
    const isNews = error !== null && error !== before && !isCloseReason(error, lastClose)
    seen.state.patch({ status, error, pending, isOver: status === 'closed' || status === 'failed' })
    if (isNews) seen.note({ text: `${error.code}: ${error.message}`, tone: 'bad' })
  }
}

/** Returns whether an error only repeats the close reason. */
function isCloseReason({ message }: ApiError, close: ConsoleState['lastClose']): boolean {
  return close !== null && (close.reason === '' ? message === `closed ${close.code}` : close.reason.endsWith(message))
}

/** Opens a plain WebSocket that has no subprotocol and does not reconnect. */
function openRaw({ path, params, query, baseUrl }: ConsoleOptions, seen: ConsoleSink): ConsoleConnection {
  const url = createClient({ baseUrl }).url(path, { params, query })
  const socket: WebSocketLike = new seen.WebSocket(url.replace(/^http/, 'ws'), [])
  socket.addEventListener('open', () => seen.state.patch({ status: 'open' }))
  socket.addEventListener('close', () => seen.state.patch({ status: 'closed', isOver: true }))
  return {
    send(text) {
      const isOpen = socket.readyState === 1
      if (isOpen) socket.send(text)
      else seen.note({ text: 'not sent: the socket is not open, and raw sockets do not queue messages', tone: 'bad' })
      return isOpen
    },
    close() {
      socket.close()
      seen.state.patch({ status: 'closed', isOver: true })
    },
  }
}

const pageClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
