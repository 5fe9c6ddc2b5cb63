import { ServerResponse, type IncomingMessage, type Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { CLOSE, fromSubprotocols, SUBPROTOCOL, type ApiError } from '@sdk/protocol'
import type { WebSocket, WebSocketServer } from 'ws'
import type { SocketAdmission } from '../http/admission.ts'
import type { Servable } from '../app.ts'
import { toApiError } from '../http/error-response.ts'
import { refuse } from '../http/refusal.ts'
import { errorFields, withFields } from '../log/log.ts'
import { createConnection } from '../socket/connection.ts'
import { faultOf, ignore, writeRefusal } from './client-error.ts'
import { NodeCall } from './node-call.ts'

/** The largest message a client may send. */
const MAX_PAYLOAD = 1024 * 1024

/** Opens the app's sockets on a server. Upgrades of other paths are left to other listeners, such as a dev server's, where there are any. */
export function attachSockets(http: HttpServer, app: Servable): { count(): number; close(): Promise<void> } {
  let opening: Promise<WebSocketServer> | undefined
  let opened: WebSocketServer | undefined
  const ending = new Set<Promise<void>>()
  let isClosing = false
  // Loaded by the first who comes: it takes 30 ms.
  const open = (): Promise<WebSocketServer> => (opening ??= createServer().then((server) => (opened = server)))

  http.on('upgrade', (incoming: IncomingMessage, stream: Duplex, head: Buffer) => {
    if (!(incoming.url ?? '').startsWith('/ws/')) {
      if (http.listenerCount('upgrade') === 1) answerPlainly(http, incoming, stream)
      return
    }
    stream.on('error', (error) => app.log.debug('an upgrade broke off', errorFields(error)))
    const fault = faultOf(incoming)
    if (fault !== null) return writeRefusal(stream, fault)
    const shaken = Promise.all([open(), app.admit(new NodeCall(incoming))]).then(
      ([server, admission]) => {
        if (isClosing)
          writeRefusal(stream, refuse('SERVICE_UNAVAILABLE', 'the server is restarting', { retryAfter: 1 }))
        else server.handleUpgrade(incoming, stream, head, (socket) => connect(socket, incoming, admission))
      },
      (thrown: unknown) => refuseThrown(stream, thrown),
    )
    ending.add(shaken)
    void shaken.finally(() => ending.delete(shaken))
  })

  return {
    count: () => opened?.clients.size ?? 0,
    async close() {
      isClosing = true
      for (const socket of opened?.clients ?? []) socket.close(CLOSE.restart, 'restart')
      await Promise.all(ending)
      opened?.close()
    },
  }

  function refuseThrown(stream: Duplex, thrown: unknown): void {
    const error = toApiError(thrown, () => app.log)
    writeRefusal(stream, error)
  }

  function connect(socket: WebSocket, incoming: IncomingMessage, admission: SocketAdmission): void {
    const { isSdk } = fromSubprotocols(incoming.headers['sec-websocket-protocol'])
    const connection = createConnection({
      socket: admission.socket,
      auth: admission.auth,
      rooms: app.rooms,
      isSdk,
      log: withFields(app.log, { socket: admission.path }),
      wire: { send: (text) => socket.send(text), close: (code, reason) => socket.close(code, reason) },
    })
    socket.on('error', (error) => app.log.debug('a socket broke off', errorFields(error)))
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) socket.close(CLOSE.badProtocol, 'messages are text')
      else connection.receive(data.toString())
    })
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve(connection.ended())))
    ending.add(ended)
    void ended.finally(() => ending.delete(ended))
  }
}

async function createServer(): Promise<WebSocketServer> {
  const { WebSocketServer: Server } = await import('ws')
  const server = new Server({
    noServer: true,
    perMessageDeflate: false, // it costs 210 kB a connection
    maxPayload: MAX_PAYLOAD,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  })
  server.on('wsClientError', (error, stream) => writeRefusal(stream, badHandshake(error)))
  return server
}

function badHandshake({ message }: Error): ApiError {
  const headers = { 'sec-websocket-version': '13' }
  return refuse('INVALID_REQUEST', `this is no handshake of a WebSocket: ${message}`, { headers })
}

/** An upgrade that nobody offers is not an error: the request is answered as if it had not asked for one. */
function answerPlainly(http: HttpServer, incoming: IncomingMessage, stream: Duplex): void {
  stream.on('error', ignore)
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers
  // Node has given up reading it: the body is lost.
  if (length !== '0' || coding !== undefined)
    return writeRefusal(stream, refuse('INVALID_REQUEST', 'a request with a body cannot ask for an upgrade'))
  const response = new ServerResponse(incoming)
  response.shouldKeepAlive = false
  response.assignSocket(stream as Socket)
  response.on('finish', () => stream.end())
  http.emit('request', incoming, response)
}
