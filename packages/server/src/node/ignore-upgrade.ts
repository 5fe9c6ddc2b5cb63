import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ignoreError } from './malformed-request.ts'
import { isEncrypted, type TrackedSocket } from './connections.ts'
import type { Upgrade } from './socket-handshake.ts'

/** Returns whether a request asks to upgrade to WebSocket. Other upgrades, such as `h2c`, are not supported. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return /(?:^|,)\s*websocket\s*(?:[,/]|$)/i.test(headers.upgrade ?? '')
}

/**
 * Handles a request as if it had not asked for an upgrade, because servers ignore unsupported upgrades (RFC 9110, 7.8).
 * Node has already stopped parsing before the body, so the request is parsed again without its upgrade headers.
 */
export function ignoreUpgrade(http: HttpServer, { incoming, stream, head }: Upgrade): void {
  stream.on('error', ignoreError)
  // A response that is pipelined after a pending one would never be sent, and a disconnect would go unnoticed. Clients
  // usually wait for all earlier responses before they ask for an upgrade.
  if (hasAnswer(stream) || !stream.writable) return void stream.destroy()
  stream.unshift(Buffer.concat([firstLines(incoming), head]))
  http.emit(isEncrypted(stream as TrackedSocket) ? 'secureConnection' : 'connection', stream)
}

/** Returns whether a response is pending on this connection. Node exposes this only in an undocumented property. */
function hasAnswer(stream: Duplex): boolean {
  return Boolean((stream as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage)
}

const CONNECTION_HEADER = /^(?:connection|upgrade|http2-settings)$/i

/** Rebuilds the request head with `Connection: close`, so that at most one request per connection is parsed again. */
function firstLines({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!CONNECTION_HEADER.test(name)) lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  return Buffer.from([...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1')
}
