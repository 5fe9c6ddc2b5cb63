import { PlatformTransport } from '../adapter/platform-transport.ts'
import { createSocketClients, type ConnectedClient, type SocketClients } from '../adapter/socket-clients.ts'
import type { App } from '../app/app.ts'
import { fromWebRequest, toResponse } from '../app/fetch-adapter.ts'
import { toRefusal } from '../socket/connection-end.ts'
import { acceptWebSocket, type ObjectState, type ServerWebSocket } from './cloudflare.ts'
import { clientIp, createWorkerApp, handleRequest, isWebSocket } from './create-worker.ts'

/** A Durable Object that serves an app's sockets. */
export interface SocketObject {
  fetch(request: Request): Promise<Response>
}

/** The class of a Durable Object. */
export type SocketObjectClass<Env> = new (state: ObjectState, env: Env) => SocketObject

/** The code of a connection that ended without a close frame. */
const CLOSE_LOST = 1006

/**
 * Creates the class of a Durable Object that serves an app's sockets. Each object creates its own app, since objects
 * cannot share connections and timers. Export the class from the Worker's main module.
 * @example export const Sockets = createSocketObject(() => createApp({ router }))
 */
export function createSocketObject<Env = unknown>(create: (env: Env) => App): SocketObjectClass<Env> {
  return class implements SocketObject {
    readonly #state: ObjectState
    readonly #app: App
    readonly #sockets: ObjectSockets

    constructor(state: ObjectState, env: Env) {
      this.#state = state
      this.#app = createWorkerApp(create, env)
      this.#sockets = new ObjectSockets(this.#app)
      // Requests wait until the `onStart` hooks have run.
      void state.blockConcurrencyWhile(() => this.#app.ready())
    }

    fetch(request: Request): Promise<Response> {
      if (isWebSocket(request)) return this.#sockets.accept(request)
      return handleRequest(this.#app, request, this.#state)
    }
  }
}

/** The WebSockets of a Durable Object. */
class ObjectSockets {
  readonly #app: App
  readonly #clients: SocketClients

  constructor(app: App) {
    this.#app = app
    this.#clients = createSocketClients(app)
  }

  /** Accepts or rejects a WebSocket. */
  async accept(request: Request): Promise<Response> {
    const client = await this.#clients.admit(fromWebRequest(request, { ip: clientIp(request) }))
    if ('error' in client && !client.isSdk) return toResponse(this.#app.toErrorReply(client.error), 'GET')
    const { response, socket } = acceptWebSocket(client.isSdk)
    if ('error' in client) {
      const { code, reason } = toRefusal(client.error)
      this.#createTransport(socket, client.isSdk).close(code, reason)
      return response
    }
    // The platform cannot ping raw clients, so they count as alive until the connection ends.
    const transport = this.#createTransport(socket, client.isSdk, () => connected.connection.markAlive())
    const connected = this.#clients.add(client, transport)
    transport.connect(connected)
    this.#forwardEvents(socket, transport, connected)
    return response
  }

  #createTransport(socket: ServerWebSocket, isSdk: boolean, ping = (): void => {}): PlatformTransport {
    const platformSocket = {
      send(text: string): void {
        if (socket.readyState === WebSocket.OPEN) socket.send(text) // otherwise, it would throw an error
      },
      close(code: number, reason: string): void {
        try {
          socket.close(code, reason)
        } catch {
          // the connection has ended, or its code must not be sent
        }
      },
      buffered: () => 0, // not known
      ping,
    }
    return new PlatformTransport(platformSocket, { ...this.#app.sockets.limits, isSdk })
  }

  #forwardEvents(socket: ServerWebSocket, transport: PlatformTransport, client: ConnectedClient): void {
    let isEnded = false
    const end = (code = CLOSE_LOST, reason = ''): void => {
      if (isEnded) return
      isEnded = true
      this.#clients.remove(client, code, reason)
      transport.close(code, reason) // replies to the close frame
    }
    socket.addEventListener('message', ({ data }) => transport.onMessage(data))
    socket.addEventListener('close', ({ code, reason }) => end(code, reason))
    socket.addEventListener('error', () => end())
  }
}
