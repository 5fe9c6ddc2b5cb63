import type { RatePolicy } from '@sdk/protocol'
import type { EngineKv } from './engine-kv.ts'
import type { RateDecision } from './gcra.ts'

/** A position in a stream: the epoch, and the offset of the last message before the position. */
export interface EnginePosition {
  readonly epoch: string
  readonly offset: number
}

/** A stream message with its position. */
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
  /** The member's data, serialized as JSON. */
  readonly data: string
}

/** The members of each room. An engine keeps its process's members alive; they expire soon after the process exits. */
export interface EnginePresence {
  /** Adds a member, or changes its data. */
  join(room: string, member: EngineMember): Promise<void>
  leave(room: string, id: string): Promise<void>
  /** Returns all members, ordered by id. */
  list(room: string): Promise<EngineMember[]>
}

/** The number of each session's last handled message. It outlives the session's process. */
export interface EngineSequence {
  /** Returns the number of the last handled message, or null if the session is unknown or expired. */
  get(session: string): Promise<number | null>
  /**
   * Stores the number unless a higher number is already stored, and resolves once it is stored. An engine may batch
   * calls for many sessions. Returns synchronously if possible.
   */
  set(session: string, handled: number): void | Promise<void>
}

/** The registry of process names. */
export interface EngineNames {
  /** Claims a name for as long as this process is connected to the shared store. */
  claim(name: string): void
  /** Resolves with whether a running process has claimed the name. */
  isClaimed(name: string): Promise<boolean>
}

/**
 * The state shared by server processes. The memory engine supports one process; the engines in `@sdk/database` and
 * `@sdk/redis` connect several processes. Every engine passes the same contract tests.
 */
export interface Engine {
  /** Appends a message to a stream. Offsets are 1, 2, 3 … within an epoch. Subscribers receive messages in order. */
  publish(stream: string, data: string): Promise<EnginePosition>
  /** Subscribes to new messages in a stream. Resolves once subscribed. */
  subscribe(stream: string, listener: (frame: EngineFrame) => void): Promise<EngineSubscription>
  /**
   * Returns up to `limit` messages after a position, oldest first, or `'gap'` if some of them are no longer available
   * or the position belongs to a different epoch.
   */
  history(stream: string, after: EnginePosition, limit: number): Promise<readonly EngineFrame[] | 'gap'>
  readonly presence: EnginePresence
  readonly sequence: EngineSequence
  /** A small key-value store for strings. */
  readonly kv: EngineKv
  /** The registry used to detect processes that have exited. @default none: requests to a stopped process time out */
  readonly names?: EngineNames
  /** Takes units from a key's quota under a policy. Returns synchronously if possible. */
  take?(key: string, cost: number, policy: RatePolicy): RateDecision | Promise<RateDecision>
  /** Rejects while the shared store is unavailable. Called by `/readyz`. @default always available */
  check?(): Promise<void>
  /** Ends all subscriptions and connections. */
  close(): Promise<void>
}
