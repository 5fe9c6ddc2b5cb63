import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import type { AdmittedClient, RejectedClient, SocketClients } from '../adapter/socket-clients.ts'
import type { Servable } from '../app/app.ts'
import { httpError } from '../http/http-error.ts'
import { errorFields } from '../log/log.ts'
import { END, toRefusal } from '../socket/connection-end.ts'
import { bytesRate, MessageRate } from '../socket/message-rate.ts'
import { ignoreError, writeErrorResponse } from './malformed-request.ts'
import { createWsServer, WsTransport, type SdkWebSocket } from './ws-transport.ts'

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
        add(client, socket as SdkWebSocket, stream)
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

  /** A function of its own, since listeners that were added in `accept` would keep the request in memory. */
  function add(client: AdmittedClient, socket: SdkWebSocket, stream: Duplex): void {
    const transport = new WsTransport(socket, stream, new MessageRate(bytesRate(sockets.limits)))
    const connected = clients.add(client, transport)
    socket.client = connected
    socket.on('message', onMessage).on('ping', onActivity).on('pong', onActivity)
    socket.on('error', onError).on('close', onClose)
    stream.on('drain', () => {
      transport.onDrain()
      connected.connection.onDrain()
    })
  }

  function onClose(this: WebSocket, code: number, reason: Buffer): void {
    const { client } = this as SdkWebSocket
    if (client !== undefined) clients.remove(client, code, reason.toString())
  }

  function onError(error: Error): void {
    log.debug('WebSocket connection error', errorFields(error))
  }
}

// All connections share these listeners, since most of them are idle.

function onMessage(this: WebSocket, data: Buffer, isBinary: boolean): void {
  const { client } = this as SdkWebSocket
  // Messages received after we sent a close frame are ignored.
  if (client === undefined || this.readyState !== this.OPEN) return
  const { connection, transport } = client
  if (isBinary) transport.close(END.binary.code, END.binary.reason)
  else connection.receive(data.toString())
  transport.onReceived()
}

function onActivity(this: WebSocket): void {
  const { client } = this as SdkWebSocket
  client?.transport.onReceived()
  client?.connection.markAlive()
}

function withRefusals(server: WebSocketServer): WebSocketServer {
  const headers = { 'sec-websocket-version': '13' }
  return server.on('wsClientError', ({ message }, stream) => {
    const error = httpError('INVALID_REQUEST', `invalid WebSocket handshake: ${message}`, { headers })
    writeErrorResponse(stream, error)
  })
}
