import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSocketClients, type AdmittedClient } from '../adapter/socket-clients.ts'
import type { Servable } from '../app/app.ts'
import { errorFields } from '../log/log.ts'
import { findMalformation, ignoreError, writeErrorResponse } from './malformed-request.ts'
import { trackUpgrade } from './connections.ts'
import { NodeRequest, toRequestTarget } from './node-request.ts'
import { ignoreUpgrade, wantsWebSocket } from './ignore-upgrade.ts'
import type { Handshake, Upgrade } from './socket-handshake.ts'

/** A server's WebSockets. */
export interface SocketServer {
  /** Handles an upgrade for one of the app's paths. */
  upgrade(upgrade: Upgrade): void
  /** Returns the number of open sockets. */
  count(): number
  /**
   * Asks all clients to reconnect elsewhere, waits at most `grace` ms for their handlers, and closes the connections.
   */
  drain(grace: number): Promise<void>
}

/**
 * Attaches the app's sockets to a server. WebSockets on other paths are left to other listeners, such as a dev server.
 */
export function attachSockets(http: HttpServer, app: Servable): SocketServer {
  const sockets = createSocketServer(app)
  http.on('upgrade', (incoming: IncomingMessage, stream: Duplex, head: Buffer) => {
    const url = toRequestTarget(incoming.url ?? '/')
    const isKnown = wantsWebSocket(incoming)
    if (isKnown && url.startsWith('/ws/')) sockets.upgrade({ incoming, stream, head })
    else if (!isKnown || http.listenerCount('upgrade') === 1) ignoreUpgrade(http, { incoming, stream, head })
  })
  return sockets
}

/** Creates an app's socket server, for an HTTP server that forwards upgrades to it. */
export function createSocketServer(app: Servable): SocketServer {
  const clients = createSocketClients(app)
  let loading: Promise<Handshake> | undefined

  return {
    upgrade(upgrade) {
      const { incoming, stream } = upgrade
      stream.on('error', ignoreError) // a client disconnecting is not an error
      trackUpgrade(stream as Socket)
      const fault = findMalformation(incoming)
      if (fault === null) void answer(upgrade)
      else writeErrorResponse(stream, fault)
    },
    count: clients.count,
    drain: clients.drain,
  }

  /** Accepts or rejects an upgrade. The promise never rejects. */
  async function answer(upgrade: Upgrade): Promise<void> {
    let admitted: AdmittedClient | undefined
    try {
      const handshake = await (loading ??= loadHandshake())
      const client = await clients.admit(new NodeRequest(upgrade.incoming))
      if ('error' in client) handshake.reject(upgrade, client)
      else handshake.accept(upgrade, (admitted = client))
    } catch (error) {
      app.log.error('WebSocket connection could not be opened', errorFields(error))
      upgrade.stream.destroy()
      admitted?.leave()
    }
  }

  /** Loads `ws` on the first upgrade, since loading it takes 30 ms. */
  async function loadHandshake(): Promise<Handshake> {
    const { createHandshake } = await import('./socket-handshake.ts')
    return createHandshake(clients, app)
  }
}
