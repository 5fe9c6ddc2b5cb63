import type { RatePolicy } from '@sdk/protocol'
import type { EngineKv } from './engine-kv.ts'
import type { RateDecision } from './gcra.ts'

/** A position in a stream: its epoch, and the offset of the last message before it. */
export interface EnginePosition {
  readonly epoch: string
  readonly offset: number
}

/** One message of a stream, with its position. */
export interface EngineFrame extends EnginePosition {
  readonly stream: string
  readonly data: string
}

/** A subscription to a stream. */
export interface EngineSubscription {
  /** The start position: every message after it is delivered, in order. */
  readonly from: EnginePosition
  end(): void
}

/** A member of a room, in any process. */
export interface EngineMember {
  readonly id: string
  /** The member's data, as JSON text. */
  readonly data: string
}

/** The members of rooms. The engine renews the members of its process; they expire soon after the process exits. */
export interface EnginePresence {
  /** Adds a member, or changes its data. */
  join(room: string, member: EngineMember): Promise<void>
  leave(room: string, id: string): Promise<void>
  /** Returns all members, ordered by id. */
  list(room: string): Promise<EngineMember[]>
}

/** The number of the last handled message of each session. It outlives the session's process. */
export interface EngineSequence {
  /** Returns the number of the last handled message, or null if the session is unknown or expired. */
  get(session: string): Promise<number | null>
  /**
   * Stores the number, unless a higher one is stored; resolves when stored. An engine may batch the calls of many
   * sessions. Returns without a promise if possible.
   */
  set(session: string, handled: number): void | Promise<void>
}

/** The registry of process names. */
export interface EngineNames {
  /** Claims a name while this process is connected to the shared store. */
  claim(name: string): void
  /** Whether a running process has claimed the name. */
  isClaimed(name: string): Promise<boolean>
}

/**
 * The state that server processes share. The memory engine serves one process;
 * `@sdk/redis` connects many. Every engine passes the same contract suite.
 */
export interface Engine {
  /** Appends a message to a stream. Offsets are 1, 2, 3 … within an epoch; every subscriber receives them in order. */
  publish(stream: string, data: string): Promise<EnginePosition>
  /** Subscribes to all new messages of a stream; resolves when subscribed. */
  subscribe(stream: string, listener: (frame: EngineFrame) => void): Promise<EngineSubscription>
  /**
   * Returns up to `limit` messages after a position, oldest first, or `'gap'` if some of them are no longer kept or the
   * position belongs to another epoch.
   */
  history(stream: string, after: EnginePosition, limit: number): Promise<readonly EngineFrame[] | 'gap'>
  readonly presence: EnginePresence
  readonly sequence: EngineSequence
  /** A small key-value store of texts. */
  readonly kv: EngineKv
  /** Detects processes that have exited. @default none: requests to a stopped process time out */
  readonly names?: EngineNames
  /** Takes units from the quota of `key` under a policy. Returns without a promise if possible. */
  take?(key: string, cost: number, policy: RatePolicy): RateDecision | Promise<RateDecision>
  /** Rejects while the shared store is unavailable; called by `/readyz`. @default always available */
  check?(): Promise<void>
  /** Ends all subscriptions and connections. */
  close(): Promise<void>
}
