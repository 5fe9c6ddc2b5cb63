import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import type { AdmittedClient, ConnectedClient, RejectedClient, SocketClients } from '../adapter/socket-clients.ts'
import type { Servable } from '../app/app.ts'
import { httpError } from '../http/http-error.ts'
import { errorFields } from '../log/log.ts'
import { END, toRefusal } from '../socket/connection-end.ts'
import { bytesRate, MessageRate } from '../socket/message-rate.ts'
import { ignoreError, writeErrorResponse } from './malformed-request.ts'
import { createWsServer, WsTransport } from './ws-transport.ts'

/** An incoming upgrade request. */
export interface Upgrade {
  readonly incoming: IncomingMessage
  readonly stream: Duplex
  readonly head: Buffer
}

/** The handshake that accepts or rejects upgrades. */
export interface Handshake {
  accept(upgrade: Upgrade, client: AdmittedClient): void
  reject(upgrade: Upgrade, client: RejectedClient): void
}

/** Creates the handshake for these clients. The limits are not read until the first client is accepted. */
export function createHandshake(
  clients: SocketClients,
  { sockets, log }: Pick<Servable, 'sockets' | 'log'>,
): Handshake {
  let accepting: WebSocketServer | undefined
  let rejecting: WebSocketServer | undefined

  return {
    accept({ incoming, stream, head }, client) {
      let isAccepted = false
      accepting ??= withRefusals(createWsServer(sockets.limits.payload))
      accepting.handleUpgrade(incoming, stream, head, (socket) => {
        const transport = new WsTransport(socket, stream, new MessageRate(bytesRate(sockets.limits)))
        const connected = clients.add(client, transport)
        forwardEvents({ socket, stream, transport }, connected)
        socket.on('error', onError)
        socket.on('close', (code, reason) => clients.remove(connected, code, reason.toString()))
        isAccepted = true
      })
      // The handshake was invalid, or the client has disconnected.
      if (!isAccepted) client.leave()
    },
    reject({ incoming, stream, head }, { isSdk, error }) {
      if (!isSdk) return writeErrorResponse(stream, error)
      // The socket is opened only to send the close code, so a small payload limit and a short timeout are enough.
      rejecting ??= withRefusals(createWsServer(1_024, 1_000))
      rejecting.handleUpgrade(incoming, stream, head, (socket) => {
        socket.on('error', ignoreError)
        const { code, reason } = toRefusal(error)
        socket.close(code, reason)
      })
    },
  }

  function onError(error: Error): void {
    log.debug('WebSocket connection error', errorFields(error))
  }
}

/** A WebSocket after its handshake, with the underlying connection. */
interface UpgradedSocket {
  readonly socket: WebSocket
  readonly stream: Duplex
  readonly transport: WsTransport
}

function forwardEvents({ socket, stream, transport }: UpgradedSocket, { connection }: ConnectedClient): void {
  socket.on('message', (data: Buffer, isBinary) => {
    // Messages received after we sent a close frame are ignored.
    if (socket.readyState !== socket.OPEN) return
    if (isBinary) transport.close(END.binary.code, END.binary.reason)
    else connection.receive(data.toString())
    transport.onReceived()
  })
  const onActivity = (): void => {
    transport.onReceived()
    connection.markAlive()
  }
  socket.on('ping', onActivity).on('pong', onActivity)
  stream.on('drain', () => {
    transport.onDrain()
    connection.onDrain()
  })
}

function withRefusals(server: WebSocketServer): WebSocketServer {
  const headers = { 'sec-websocket-version': '13' }
  return server.on('wsClientError', ({ message }, stream) => {
    const error = httpError('INVALID_REQUEST', `invalid WebSocket handshake: ${message}`, { headers })
    writeErrorResponse(stream, error)
  })
}
