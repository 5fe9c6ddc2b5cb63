import type { ClientConnection, AcceptedClient } from './accepted-client.ts'
import type { SessionProvider as SessionSource } from '../auth/session-provider.ts'
import type { Engine } from '../engine/engine.ts'
import { createKv } from '../engine/kv.ts'
import type { Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { AckBatcher } from './ack-batcher.ts'
import { SOCKET_LIMITS, type SocketLimits } from './limits.ts'
import { listPresence, type Presence } from '../engine/list-presence.ts'
import { PresenceFeed } from './presence-feed.ts'
import { RawConnection } from './raw-connection.ts'
import { ReplayBudget } from './replay-buffer.ts'
import { createRooms, DISCONNECT_REASON } from './rooms.ts'
import { toMessageJson } from './run-message-handler.ts'
import { SdkConnection } from './sdk-connection.ts'
import { createSessionIds } from './session-id.ts'
import { Sessions } from './sessions.ts'
import { StandstillCounter } from './standstill.ts'
import { AuthenticatedConnections } from './authenticated-connections.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

/** The sockets of one process: their clients, sessions and undelivered messages. */
export interface SocketHub {
  readonly limits: Required<SocketLimits>
  connect(client: AcceptedClient): ClientConnection
  /** Sends a message to every client in a room, across all processes. */
  publish(room: string, message: unknown): Promise<void>
  /** Disconnects every client in a room permanently, across all processes. */
  disconnect(room: string, reason?: string): Promise<void>
  /** Returns the members of a room, across all processes. */
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
  /** Ends user sessions: closes their connections with 4401 and deletes the state of their disconnected clients. */
  end(sessionIds: readonly string[]): void
  /** Switches to this app's handlers, starting with the next message. Closes connections to removed sockets (4404). */
  use(app: HostedApp): void
  /** Hands the sessions of disconnected clients over to other processes, and asks connected clients to reconnect. */
  close(): Promise<void>
}

/** An app whose sockets are served by a hub. */
export interface HostedApp {
  /** The sockets, by path. */
  readonly sockets: ReadonlyMap<string, AnySocketDefinition>
  readonly limits?: SocketLimits | undefined
  /** Returns the user sessions that are still active. */
  readonly getActiveSessions?: SessionSource['getActiveSessions'] | undefined
}

interface SocketHubOptions extends Omit<HostedApp, 'sockets'> {
  readonly engine: Engine
  readonly log: Log
}

/** Creates the socket hub of a process. */
export function createSocketHub({ engine, log: loud, limits: own, getActiveSessions }: SocketHubOptions): SocketHub {
  const log = throttleLog(loud) // throttled, since an unavailable engine affects all connections at the same time
  const limits = { ...SOCKET_LIMITS, ...own }
  const now = (): number => performance.now()
  const rooms = createRooms(engine, log)
  const presence = new PresenceFeed(engine, log)
  let sockets: HostedApp['sockets'] | null = null
  const acks = new AckBatcher(limits.ackDelay)
  const standstills = new StandstillCounter(now)
  const sessions = new Sessions({
    engine,
    kv: createKv(engine),
    rooms,
    presence,
    acks,
    ids: createSessionIds(engine.kv),
    limits,
    log,
    now,
    standstills,
    budget: new ReplayBudget(),
    // The app may have been replaced since it accepted the client. If so, the new app handles the client.
    handlersOf: ({ path, socket }) => (sockets === null ? socket : sockets.get(path)),
  })
  const authOptions = { getActiveSessions, log, checkInterval: limits.signInCheck }
  const authenticated = new AuthenticatedConnections(authOptions)
  const deps = { sessions, authenticated, limits, now }
  return {
    limits,
    connect(client) {
      const connection = client.isSdk ? new SdkConnection(client, deps) : new RawConnection(client, deps)
      if (client.auth !== null && client.isMadeUp !== true) authenticated.add(connection)
      return connection
    },
    publish: async (room, message) => rooms.publish(room, toMessageJson(undefined, message)),
    disconnect: (room, reason = DISCONNECT_REASON) => rooms.disconnect(room, reason),
    presence: (room) => listPresence(engine, room),
    end(sessionIds) {
      authenticated.end(sessionIds, 'the session has ended')
      sessions.forgetDisconnected(new Set(sessionIds))
    },
    use(app) {
      sockets = app.sockets
      authOptions.getActiveSessions = app.getActiveSessions
      Object.assign(limits, SOCKET_LIMITS, app.limits)
      sessions.use(app.sockets)
    },
    close() {
      authenticated.close()
      acks.close()
      standstills.close()
      presence.close()
      return sessions.close()
    },
  }
}
