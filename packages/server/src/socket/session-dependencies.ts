import type { AnySocketDefinition } from '../define/socket.ts'
import type { SessionIds } from './session-id.ts'
import type { Rooms } from './rooms.ts'
import type { ReplayBudget } from './replay-buffer.ts'
import type { PresenceFeed } from './presence-feed.ts'
import type { SocketLimits } from './limits.ts'
import type { AckBatcher } from './ack-batcher.ts'
import type { StandstillCounter } from './standstill.ts'
import type { Log } from '../log/log.ts'
import type { Kv } from '../engine/kv.ts'
import type { Engine } from '../engine/engine.ts'
import type { AcceptedClient } from './accepted-client.ts'

/** The dependencies that all sessions of a process share. */
export interface SessionDependencies {
  readonly engine: Engine
  readonly kv: Kv
  readonly rooms: Rooms
  readonly presence: PresenceFeed
  readonly acks: AckBatcher
  readonly ids: SessionIds
  readonly limits: Required<SocketLimits>
  readonly budget: ReplayBudget
  /** The log for errors that affect all sessions. */
  readonly log: Log
  readonly now: () => number
  readonly standstills: Pick<StandstillCounter, 'count'>
  /** Returns the handlers for a client, or undefined if they no longer exist. */
  handlersOf(client: Pick<AcceptedClient, 'path' | 'socket'>): AnySocketDefinition | undefined
}
