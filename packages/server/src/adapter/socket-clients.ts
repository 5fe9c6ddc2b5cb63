import { fromSubprotocols, type ApiError } from '@sdk/protocol'
import type { Servable } from '../app/app.ts'
import { unref } from '../platform/unref-timer.ts'
import type { SocketAdmission } from '../guard/socket-admission.ts'
import { isOutage, toApiError } from '../http/error-response.ts'
import { httpError } from '../http/http-error.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { withFields, type Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import type { SocketObserver } from '../observe/request-observer.ts'
import type { ClientConnection } from '../socket/accepted-client.ts'
import type { Transport } from '../socket/transport.ts'
import { drainSockets, DRAIN_HANDLER_TIMEOUT_MS, waitUntil } from './socket-drain.ts'

/** The clients connected to an app's socket hub, on any platform. */
export interface SocketClients {
  /** Returns the number of connected clients. */
  count(): number
  /** Checks a handshake before the platform accepts it. Never rejects. */
  admit(request: ServerRequest): Promise<AdmittedClient | RejectedClient>
  /** Adds a client after its handshake. The adapter must then forward the client's events to its connection. */
  add<T extends Transport>(client: AdmittedClient, transport: T): ConnectedClient<T>
  /** Removes a client that has disconnected. */
  remove(client: ConnectedClient, code: number, reason: string): void
  /**
   * Rejects new clients, asks all clients to reconnect elsewhere, waits at most `grace` ms for their handlers, and
   * closes the connections.
   */
  drain(grace: number): Promise<void>
}

/** A client that may connect. */
export interface AdmittedClient {
  /** Whether the client uses `sdk.v1`, which the adapter must then select as the subprotocol. */
  readonly isSdk: boolean
  readonly admission: Omit<SocketAdmission, 'enter'>
  /**
   * Stops counting the client toward its connection limit. The adapter calls it only if the handshake fails.
   */
  readonly leave: () => void
}

/**
 * A client that may not connect. Raw clients get the error as an HTTP response. SDK clients are accepted and closed
 * with the code of `toRefusal(error)`, because browsers hide the status.
 */
export interface RejectedClient {
  readonly isSdk: boolean
  readonly error: ApiError
}

/** A connected client. */
export interface ConnectedClient<T extends Transport = Transport> {
  readonly connection: ClientConnection
  readonly transport: T
  readonly observer: SocketObserver | undefined
  readonly leave: () => void
}

/**
 * How long a disconnected client's running handlers count toward its connection limit, in ms. A slow handler must not
 * block the client for longer.
 */
const MAX_CLOSE_HANDLER_MS = 30_000

/** The interval between calls to each connection's `tick`, in ms. */
const TICK_INTERVAL_MS = 1_000

/** Creates the socket clients of an app. Most connections are idle, so they keep nothing from their handshake. */
export function createSocketClients(app: Servable): SocketClients {
  const open = new Set<ConnectedClient>()
  const ending = new Set<Promise<void>>()
  const logs = new Map<string, Log>()
  const outages = throttleLog(app.log) // throttled, since all clients reconnect repeatedly during an outage
  let clock: ReturnType<typeof setInterval> | undefined // shared by all connections, stopped while none is open
  let isClosing = false

  return {
    count: () => open.size,
    admit: (request) => admit(app, request, { log: outages, isClosing: () => isClosing }),
    add({ isSdk, admission, leave }, transport) {
      const { path, auth, query, observer, incoming } = admission
      const accepted = { socket: admission.socket, path, auth, query, isSdk, transport, log: logOf(path), observer }
      const connection = app.sockets.connect(incoming === undefined ? accepted : { ...accepted, incoming })
      const client = { connection, transport, observer, leave }
      open.add(client)
      clock ??= unref(setInterval(tick, TICK_INTERVAL_MS))
      return client
    },
    remove(client, code, reason) {
      client.observer?.onClose(code, reason)
      open.delete(client)
      if (open.size === 0) {
        clearInterval(clock)
        clock = undefined
      }
      awaitHandlers(client)
    },
    async drain(grace) {
      isClosing = true
      const end = performance.now() + grace
      await drainSockets(open, grace)
      // Also waits for handlers of disconnected clients. The timeout prevents a handler that never finishes from using
      // up the entire grace period.
      await waitUntil(() => ending.size === 0, Math.min(DRAIN_HANDLER_TIMEOUT_MS, end - performance.now()))
    },
  }

  /** Returns the log shared by all connections to a path. */
  function logOf(path: string): Log {
    const log = logs.get(path) ?? withFields(app.log, { socket: path })
    logs.set(path, log)
    return log
  }

  function tick(): void {
    const now = performance.now()
    for (const { connection } of open) connection.tick(now)
  }

  /** Counts a client toward its connection limit until its handlers finish, even if it reconnects. */
  function awaitHandlers({ connection, leave }: ConnectedClient): void {
    const ended = connection.onClose()
    ending.add(ended)
    const late = unref(setTimeout(leave, MAX_CLOSE_HANDLER_MS))
    const done = (): void => {
      clearTimeout(late)
      leave()
      ending.delete(ended)
    }
    ended.then(done, done)
  }
}

/** Checks a handshake. Failures of services that are unavailable are written to `log`. */
async function admit(
  app: Servable,
  request: ServerRequest,
  { log, isClosing }: { log: Log; isClosing: () => boolean },
): Promise<AdmittedClient | RejectedClient> {
  const { isSdk } = fromSubprotocols(request.header('sec-websocket-protocol'))
  try {
    const admission = await app.admit(request)
    if (!isClosing()) return { isSdk, admission, leave: admission.enter() }
    return { isSdk, error: httpError('SERVICE_UNAVAILABLE', 'the server is restarting', { retryAfter: 1 }) }
  } catch (thrown) {
    return { isSdk, error: toApiError(thrown, () => (isOutage(thrown) ? log : app.log)) }
  }
}
