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

/** An upgrade on its way in. */
export interface Upgrade {
  readonly incoming: IncomingMessage
  readonly stream: Duplex
  readonly head: Buffer
}

/** Answers upgrades. */
export interface Handshake {
  /** `leave` is called when the client has gone, also where it never came. */
  accept(upgrade: Upgrade, admission: SocketAdmission, leave: () => void): void
  /** A raw client sees the status; ours may be in a browser, which shows only the code of a close. */
  reject(upgrade: Upgrade, error: ApiError): void
}

/** Creates the handshake of these clients; `limits` are read when the first client is accepted. */
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
      // It was no handshake, or the client is gone.
      if (!isAccepted) leave()
    },
    reject({ incoming, stream, head }, error) {
      if (!isSdkClient(incoming)) return writeErrorResponse(stream, error)
      // It is told why it is not let in, may say next to nothing, and stays a moment.
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
    const error = httpError('INVALID_REQUEST', `this is no handshake of a WebSocket: ${message}`, { headers })
    writeErrorResponse(stream, error)
  })
}
