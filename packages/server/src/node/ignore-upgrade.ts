import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ignoreError } from './malformed-request.ts'
import { isEncrypted, type TrackedSocket } from './connections.ts'
import type { Upgrade } from './socket-handshake.ts'

/** Does a request ask for a WebSocket? Whoever asks for anything else, such as `h2c`, asks for what nobody has. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return /(?:^|,)\s*websocket\s*(?:[,/]|$)/i.test(headers.upgrade ?? '')
}

/**
 * Answers a request as if it had not asked for an upgrade: a server that does not know one ignores it (RFC 9110, 7.8).
 * Node has stopped to read by now, with the body before it, so it is given the request again, without those words.
 */
export function ignoreUpgrade(http: HttpServer, { incoming, stream, head }: Upgrade): void {
  stream.on('error', ignoreError)
  // Behind another answer its turn would never come, and nobody would hear that the caller has left meanwhile. No client
  // asks for an upgrade before it has its answers.
  if (hasAnswer(stream) || !stream.writable) return void stream.destroy()
  stream.unshift(Buffer.concat([firstLines(incoming), head]))
  http.emit(isEncrypted(stream as TrackedSocket) ? 'secureConnection' : 'connection', stream)
}

/** Is an answer under way on this connection? Node tells it by this name alone. */
function hasAnswer(stream: Duplex): boolean {
  return Boolean((stream as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage)
}

const CONNECTION_HEADER = /^(?:connection|upgrade|http2-settings)$/i

/** The connection ends with the answer, so that nobody can do this twice on one. */
function firstLines({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!CONNECTION_HEADER.test(name)) lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  return Buffer.from([...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1')
}
