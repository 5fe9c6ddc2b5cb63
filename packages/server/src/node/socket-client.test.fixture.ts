import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { Log } from '../index.ts'

/** A log without output. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Creates a log that records errors. */
export function createErrorLog(): { log: Log; errors: string[] } {
  const errors: string[] = []
  return { errors, log: { ...silent, error: (message, fields) => errors.push(`${message} ${JSON.stringify(fields)}`) } }
}

/** The result of an attempt to connect: a socket, or a rejection with a status and a code. */
export type Attempt =
  | { readonly socket: WebSocket; readonly received: string[] }
  | { readonly status: number; readonly code: string; readonly headers: Record<string, unknown> }

/** The subprotocols and headers that a client sends. */
export interface Offer {
  readonly protocols?: string[]
  readonly headers?: Record<string, string>
}

/** Connects. Resolves with the socket or the rejection. */
export function attempt(url: string, { protocols = [], headers = {} }: Offer = {}): Promise<Attempt> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, protocols, { headers })
    const received: string[] = []
    socket.on('message', (data: Buffer) => received.push(data.toString()))
    socket.on('error', () => {})
    socket.once('open', () => resolve({ socket, received }))
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (data: Buffer) => (text += data.toString()))
      response.on('end', () => {
        const { error } = JSON.parse(text) as { error: { code: string } }
        resolve({ status: response.statusCode ?? 0, code: error.code, headers: response.headers })
      })
    })
  })
}

/** Connects. Throws if the connection is rejected. */
export async function open(url: string, offer?: Offer): Promise<{ socket: WebSocket; received: string[] }> {
  const end = await attempt(url, offer)
  if ('socket' in end) return end
  throw new Error(`refused with ${end.status} ${end.code}`)
}

/** Resolves with the code and reason of the close frame. */
export function closed(socket: WebSocket): Promise<[number, string]> {
  return new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, reason.toString()])))
}

/** Connects an SDK client. Resolves with the code and reason with which it is disconnected. */
export async function awaitClose(url: string, offer: Offer): Promise<[number, string]> {
  const { protocols = [], headers } = offer
  const socket = new WebSocket(url, ['sdk.v1', ...protocols], headers === undefined ? {} : { headers })
  socket.on('error', () => {})
  return closed(socket)
}

/** Returns the handshake request of a raw client. */
export function handshake(path: string, lines = ''): string {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13'
  return `GET ${path} HTTP/1.1\r\nHost: a.example\r\n${upgrade}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${lines}\r\n`
}

/** Opens a connection, writes these bytes, and collects the bytes that are received. */
export function bytes(port: number, sent: string | Buffer): { socket: Socket; text(): string; ended: Promise<void> } {
  const socket = connect(port, '127.0.0.1', () => socket.write(sent))
  const parts: Buffer[] = []
  socket.on('data', (data) => parts.push(data)).on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, ended, text: () => Buffer.concat(parts).toString('latin1') }
}

/** Creates a client's frame, by default masked with zeros. */
export function frame(opcode: number, payload: string, { isMasked = true } = {}): Buffer {
  const body = Buffer.from(payload)
  const head = [opcode, body.length | (isMasked ? 0x80 : 0), ...(isMasked ? [0, 0, 0, 0] : [])]
  return Buffer.concat([Buffer.from(head), body])
}
