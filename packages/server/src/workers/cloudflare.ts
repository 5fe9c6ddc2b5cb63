import { SUBPROTOCOL } from '@sdk/protocol'

/** The part of Cloudflare's `ExecutionContext` that we use. */
export interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void
}

/** The part of a Durable Object binding that we use. */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: never): { fetch(request: Request): Promise<Response> }
}

/** The part of a Durable Object's state that we use. */
export interface ObjectState extends ExecutionContext {
  blockConcurrencyWhile(work: () => Promise<void>): Promise<void>
}

/** The server's half of a `WebSocketPair`. */
export interface ServerWebSocket {
  readonly readyState: number
  accept(): void
  send(text: string): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'message' | 'close' | 'error', listen: (event: ServerWebSocketEvent) => void): void
}

interface ServerWebSocketEvent {
  readonly data?: unknown
  readonly code?: number
  readonly reason?: string
}

/** The globals of Cloudflare Workers that we use. */
interface Globals {
  readonly WebSocketPair: new () => { readonly 0: unknown; readonly 1: ServerWebSocket }
}

/** Accepts a WebSocket. `response` must be returned to the client. */
export function acceptWebSocket(isSdk: boolean): { response: Response; socket: ServerWebSocket } {
  const { WebSocketPair } = globalThis as unknown as Globals
  const { 0: webSocket, 1: socket } = new WebSocketPair()
  socket.accept()
  const headers: Record<string, string> = isSdk ? { 'sec-websocket-protocol': SUBPROTOCOL } : {}
  const init = { status: 101, headers, webSocket }
  return { response: new Response(null, init), socket }
}
