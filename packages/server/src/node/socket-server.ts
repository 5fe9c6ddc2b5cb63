import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Servable } from '../app/app.ts'
import { isOutage, toApiError } from '../http/error-response.ts'
import { httpError } from '../http/http-error.ts'
import { errorFields } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { findMalformation, ignoreError, writeErrorResponse } from './malformed-request.ts'
import { trackUpgrade } from './connections.ts'
import { NodeRequest, toRequestTarget } from './node-request.ts'
import { ignoreUpgrade, wantsWebSocket } from './ignore-upgrade.ts'
import { createSocketClients } from './socket-clients.ts'
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
  const outages = throttleLog(app.log) // throttled, since all clients reconnect repeatedly during an outage
  let isClosing = false
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
    async drain(grace) {
      isClosing = true
      await clients.drain(grace)
    },
  }

  /** Accepts or rejects an upgrade. The promise never rejects. */
  async function answer(upgrade: Upgrade): Promise<void> {
    let leave: (() => void) | undefined
    try {
      const handshake = await (loading ??= loadHandshake())
      const admission = await admit(upgrade.incoming)
      if ('admitted' in admission) handshake.accept(upgrade, admission.admitted, (leave = admission.leave))
      else handshake.reject(upgrade, admission)
    } catch (error) {
      app.log.error('WebSocket connection could not be opened', errorFields(error))
      upgrade.stream.destroy()
      leave?.()
    }
  }

  /** Loads `ws` on the first upgrade, since loading it takes 30 ms. */
  async function loadHandshake(): Promise<Handshake> {
    const { createHandshake } = await import('./socket-handshake.ts')
    return createHandshake(clients, () => app.sockets.limits)
  }

  /** Admits an upgrade. If it is rejected, returns the error to respond with. */
  async function admit(incoming: IncomingMessage) {
    try {
      const admitted = await app.admit(new NodeRequest(incoming))
      if (isClosing) return httpError('SERVICE_UNAVAILABLE', 'the server is restarting', { retryAfter: 1 })
      return { admitted, leave: admitted.enter() }
    } catch (thrown) {
      return toApiError(thrown, () => (isOutage(thrown) ? outages : app.log))
    }
  }
}
