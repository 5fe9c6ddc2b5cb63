import type { RatePolicy } from '@sdk/protocol'
import type { EngineKv } from './engine-kv.ts'
import type { RateDecision } from './gcra.ts'

/** A place in a stream: its epoch, and the offset of the last message before it. */
export interface EnginePosition {
  readonly epoch: string
  readonly offset: number
}

/** One message of a stream, with its place. */
export interface EngineFrame extends EnginePosition {
  readonly stream: string
  readonly data: string
}

/** A stream that is heard. */
export interface EngineSubscription {
  /** Where it begins: every message after this place is heard, in order. */
  readonly from: EnginePosition
  end(): void
}

/** Somebody who is in a room, in whichever process. */
export interface EngineMember {
  readonly id: string
  /** What is told of them, as JSON text. */
  readonly data: string
}

/** Who is in which room. What a process entered is renewed by its engine, and ends soon after the process does. */
export interface EnginePresence {
  /** Enters, or changes what is told. */
  join(room: string, member: EngineMember): Promise<void>
  leave(room: string, id: string): Promise<void>
  /** All who are there, in the order of their ids. */
  list(room: string): Promise<EngineMember[]>
}

/** How far the messages of each session were handled: what stays when its process is gone. */
export interface EngineSequence {
  /** The last number that was handled; null where nothing is known of the session, or nothing any more. */
  get(session: string): Promise<number | null>
  /** Saved when it settles, unless a higher number was; an engine joins those of many sessions. Answers without a promise where it can. */
  set(session: string, handled: number): void | Promise<void>
}

/** Names of processes. */
export interface EngineNames {
  /** Holds a name for as long as this process is connected to what it shares with others. */
  claim(name: string): void
  /** Is a process there that holds it? */
  isClaimed(name: string): Promise<boolean>
}

/**
 * What many server processes share. The memory engine serves one process;
 * `@sdk/redis` joins many. Every engine passes the same contract suite.
 */
export interface Engine {
  /** Appends to a stream. Offsets are 1, 2, 3 … within an epoch, and every subscriber sees them in order. */
  publish(stream: string, data: string): Promise<EnginePosition>
  /** Hears every message of a stream from now on; the promise settles when it does. */
  subscribe(stream: string, listener: (frame: EngineFrame) => void): Promise<EngineSubscription>
  /**
   * The messages after a place, oldest first, at most `limit`. `'gap'` where some of them are kept no longer, or the
   * place is of another epoch.
   */
  history(stream: string, after: EnginePosition, limit: number): Promise<readonly EngineFrame[] | 'gap'>
  readonly presence: EnginePresence
  readonly sequence: EngineSequence
  /** A small store of texts. */
  readonly kv: EngineKv
  /** Tells who is gone. @default nobody knows: who does not answer is waited for */
  readonly names?: EngineNames
  /** Takes units out of what a policy grants to `key`; answers without a promise where it can. */
  take?(key: string, cost: number, policy: RatePolicy): RateDecision | Promise<RateDecision>
  /** Rejects while what the processes share is out of reach: `/readyz` asks. @default it always is in reach */
  check?(): Promise<void>
  /** Ends all subscriptions and connections. */
  close(): Promise<void>
}
