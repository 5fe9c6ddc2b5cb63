import type { ClientConnection } from '../socket/accepted-client.ts'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Servable } from '../app/app.ts'
import type { SocketAdmission } from '../guard/socket-admission.ts'
import { errorFields, withFields, type Log } from '../log/log.ts'
import { END } from '../socket/connection-end.ts'
import { drainSockets, DRAIN_HANDLER_TIMEOUT_MS, waitUntil, type DrainableClient } from './socket-drain.ts'
import type { WsTransport } from './ws-transport.ts'

/** The clients connected to an app's socket hub. */
export interface SocketClients {
  /** Returns the number of connected clients. */
  count(): number
  accept(upgraded: UpgradedSocket): void
  /** Closes all connections and waits for their handlers, for at most `grace` ms. */
  drain(grace: number): Promise<void>
}

/** A WebSocket after its handshake. */
export interface UpgradedSocket {
  readonly socket: WebSocket
  /** The underlying connection. */
  readonly stream: Duplex
  readonly transport: WsTransport
  readonly admission: Omit<SocketAdmission, 'enter'>
  readonly isSdk: boolean
  /** Stops counting the client toward its connection limit. Must be called after the client has disconnected. */
  readonly leave: () => void
}

type SocketClient = DrainableClient & { readonly connection: ClientConnection }

/**
 * How long a disconnected client's running handlers count toward its connection limit, in ms. A slow handler must not
 * block the client for longer.
 */
const MAX_CLOSE_HANDLER_MS = 30_000

/** The interval between calls to each connection's `tick`, in ms. */
const TICK_INTERVAL_MS = 1_000

/** Creates the socket clients of an app. Most connections are idle, so they keep nothing from their handshake. */
export function createSocketClients(app: Servable): SocketClients {
  const open = new Set<SocketClient>()
  const ending = new Set<Promise<void>>()
  const logs = new Map<string, Log>()
  let clock: NodeJS.Timeout | undefined // shared by all connections, stopped while no client is connected

  return {
    count: () => open.size,
    accept({ socket, stream, transport, admission, isSdk, leave }) {
      const { path, auth, query, observer, incoming } = admission
      const accepted = { socket: admission.socket, path, auth, query, isSdk, transport, log: logOf(path), observer }
      const connection = app.sockets.connect(incoming === undefined ? accepted : { ...accepted, incoming })
      const client = { connection, transport }
      open.add(client)
      clock ??= setInterval(tick, TICK_INTERVAL_MS).unref()
      forwardEvents({ socket, stream, transport }, connection)
      socket.on('error', onError)
      if (observer !== undefined) socket.on('close', (code, reason) => observer.onClose(code, reason.toString()))
      socket.on('close', () => remove(client, leave))
    },
    async drain(grace) {
      const end = performance.now() + grace
      await drainSockets(open, grace)
      // Also waits for handlers of disconnected clients. The timeout prevents a handler that never finishes from using
      // up the entire grace period.
      await waitUntil(() => ending.size === 0, Math.min(DRAIN_HANDLER_TIMEOUT_MS, end - performance.now()))
    },
  }

  function onError(error: Error): void {
    app.log.debug('WebSocket connection error', errorFields(error))
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

  /** Removes a client. It still counts toward the connection limit until its handlers finish, even if it reconnects. */
  function remove(client: SocketClient, leave: () => void): void {
    open.delete(client)
    if (open.size === 0) {
      clearInterval(clock)
      clock = undefined
    }
    const ended = client.connection.onClose()
    ending.add(ended)
    const late = setTimeout(leave, MAX_CLOSE_HANDLER_MS).unref()
    const done = (): void => {
      clearTimeout(late)
      leave()
      ending.delete(ended)
    }
    ended.then(done, done)
  }
}

function forwardEvents(
  { socket, stream, transport }: Pick<UpgradedSocket, 'socket' | 'stream' | 'transport'>,
  connection: ClientConnection,
): void {
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
