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

/** The sockets of one process: who is connected, and what was sent and is not there yet. */
export interface SocketHub {
  readonly limits: Required<SocketLimits>
  connect(client: AcceptedClient): ClientConnection
  /** Sends a message to everyone in a room, in every process. */
  publish(room: string, message: unknown): Promise<void>
  /** Sends everyone in a room away for good, in every process. */
  disconnect(room: string, reason?: string): Promise<void>
  /** Who is in a room, in every process. */
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
  /** These users' sessions are over: ends their connections with 4401, and forgets those who are away. */
  end(sessionIds: readonly string[]): void
  /** From the next message on, this app's handlers run. Clients whose path it does not have are closed with 4404. */
  use(app: HostedApp): void
  /** Leaves the sessions of clients who are away to who takes our place; who is connected is asked to come back, to there. */
  close(): Promise<void>
}

/** An app whose sockets a hub serves. */
export interface HostedApp {
  /** The sockets, by path. */
  readonly sockets: ReadonlyMap<string, AnySocketDefinition>
  readonly limits?: SocketLimits | undefined
  /** Tells who is signed in still. */
  readonly getActiveSessions?: SessionSource['getActiveSessions'] | undefined
}

interface SocketHubOptions extends Omit<HostedApp, 'sockets'> {
  readonly engine: Engine
  readonly log: Log
}

/** The sockets of one process, over an engine. */
export function createSocketHub({ engine, log: loud, limits: own, getActiveSessions }: SocketHubOptions): SocketHub {
  const log = throttleLog(loud) // an engine that is away fails all connections at once
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
    // A client that was let in by an app which has been replaced since is served by the new one.
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
