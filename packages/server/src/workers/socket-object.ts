import { PlatformTransport } from '../adapter/platform-transport.ts'
import { createSocketClients, type ConnectedClient, type SocketClients } from '../adapter/socket-clients.ts'
import type { App } from '../app/app.ts'
import { fromWebRequest, toResponse } from '../app/fetch-adapter.ts'
import { toRefusal } from '../socket/connection-end.ts'
import { acceptWebSocket, type ObjectState, type ServerWebSocket } from './cloudflare.ts'
import { clientIp, createWorkerApp, handleRequest, isWebSocket } from './create-worker.ts'

/** The close code for a message that is too large. */
const CLOSE_TOO_LARGE = 1009

/** A Durable Object that serves an app's sockets. */
export interface SocketObject {
  fetch(request: Request): Promise<Response>
}

/**
 * Creates the class of a Durable Object that serves an app's sockets. Each object creates its own app, since objects
 * cannot share connections and timers. Export the class from the Worker's main module.
 * @example export const Sockets = createSocketObject(() => createApp({ router }))
 */
export function createSocketObject<Env = unknown>(
  create: (env: Env) => App,
): new (state: ObjectState, env: Env) => SocketObject {
  return class implements SocketObject {
    readonly #state: ObjectState
    readonly #app: App
    readonly #clients: SocketClients

    constructor(state: ObjectState, env: Env) {
      this.#state = state
      this.#app = createWorkerApp(create, env)
      this.#clients = createSocketClients(this.#app)
      // Requests wait until the `onStart` hooks have run.
      void state.blockConcurrencyWhile(() => this.#app.ready())
    }

    async fetch(request: Request): Promise<Response> {
      if (!isWebSocket(request)) return handleRequest(this.#app, request, this.#state)
      const client = await this.#clients.admit(fromWebRequest(request, { ip: clientIp(request) }))
      if (!('error' in client)) {
        const { response, socket } = acceptWebSocket(client.isSdk)
        // The platform cannot ping raw clients, so they count as alive until the connection ends.
        const transport = this.#createTransport(socket, () => connected.connection.markAlive())
        const connected = this.#clients.add(client, transport)
        transport.connect(connected)
        this.#forwardEvents(socket, transport, connected)
        return response
      }
      if (!client.isSdk) return toResponse(this.#app.toErrorReply(client.error), 'GET')
      const { response, socket } = acceptWebSocket(true)
      const { code, reason } = toRefusal(client.error)
      this.#createTransport(socket).close(code, reason)
      return response
    }

    #createTransport(socket: ServerWebSocket, ping = (): void => {}): PlatformTransport {
      const { limits } = this.#app.sockets
      return new PlatformTransport({ send, close, ping, buffered: () => 0 /* not known */ }, limits)

      function send(text: string): void {
        if (socket.readyState === WebSocket.OPEN) socket.send(text) // otherwise, it throws an error
      }

      function close(code: number, reason: string): void {
        try {
          socket.close(code, reason)
        } catch {
          // the connection has ended, or the code is for local use only
        }
      }
    }

    #forwardEvents(socket: ServerWebSocket, transport: PlatformTransport, client: ConnectedClient): void {
      const { payload } = this.#app.sockets.limits
      let isEnded = false
      const end = (code = 1006, reason = ''): void => {
        if (isEnded) return
        isEnded = true
        this.#clients.remove(client, code, reason)
        transport.close(code, reason)
      }
      socket.addEventListener('message', ({ data }) => {
        if (typeof data === 'string' && data.length > payload) transport.close(CLOSE_TOO_LARGE, '')
        else transport.onMessage(data)
      })
      socket.addEventListener('close', ({ code, reason }) => end(code, reason))
      socket.addEventListener('error', () => end())
    }
  }
}
