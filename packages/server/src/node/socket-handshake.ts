import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { fromSubprotocols, type ApiError } from '@sdk/protocol'
import type { WebSocketServer } from 'ws'
import type { SocketAdmission } from '../guard/socket-admission.ts'
import { httpError } from '../http/http-error.ts'
import { toRefusal } from '../socket/connection-end.ts'
import type { SocketLimits } from '../socket/limits.ts'
import { bytesRate, MessageRate } from '../socket/message-rate.ts'
import { ignoreError, writeErrorResponse } from './malformed-request.ts'
import type { SocketClients } from './socket-clients.ts'
import { createWsServer, WsTransport } from './ws-transport.ts'

/** An incoming upgrade request. */
export interface Upgrade {
  readonly incoming: IncomingMessage
  readonly stream: Duplex
  readonly head: Buffer
}

/** The handshake that accepts or rejects upgrades. */
export interface Handshake {
  /** Accepts a client. Calls `leave` when the client disconnects or if the handshake fails. */
  accept(upgrade: Upgrade, admission: SocketAdmission, leave: () => void): void
  /**
   * Rejects a client. Raw clients get an HTTP status. SDK clients get a close code, because browsers hide the status.
   */
  reject(upgrade: Upgrade, error: ApiError): void
}

/** Creates the handshake for these clients. `limits` is not called until the first client is accepted. */
export function createHandshake(clients: SocketClients, limits: () => Required<SocketLimits>): Handshake {
  let accepting: WebSocketServer | undefined
  let rejecting: WebSocketServer | undefined

  return {
    accept({ incoming, stream, head }, admission, leave) {
      const isSdk = isSdkClient(incoming)
      let isAccepted = false
      accepting ??= withRefusals(createWsServer(limits().payload))
      accepting.handleUpgrade(incoming, stream, head, (socket) => {
        const transport = new WsTransport(socket, stream, new MessageRate(bytesRate(limits())))
        clients.accept({ socket, stream, transport, admission, isSdk, leave })
        isAccepted = true
      })
      // The handshake was invalid, or the client has disconnected.
      if (!isAccepted) leave()
    },
    reject({ incoming, stream, head }, error) {
      if (!isSdkClient(incoming)) return writeErrorResponse(stream, error)
      // The socket is opened only to send the close code, so a small payload limit and a short timeout are enough.
      rejecting ??= withRefusals(createWsServer(1_024, 1_000))
      rejecting.handleUpgrade(incoming, stream, head, (socket) => {
        socket.on('error', ignoreError)
        const { code, reason } = toRefusal(error)
        socket.close(code, reason)
      })
    },
  }
}

function isSdkClient({ headers }: IncomingMessage): boolean {
  return fromSubprotocols(headers['sec-websocket-protocol']).isSdk
}

function withRefusals(server: WebSocketServer): WebSocketServer {
  const headers = { 'sec-websocket-version': '13' }
  return server.on('wsClientError', ({ message }, stream) => {
    const error = httpError('INVALID_REQUEST', `invalid WebSocket handshake: ${message}`, { headers })
    writeErrorResponse(stream, error)
  })
}
