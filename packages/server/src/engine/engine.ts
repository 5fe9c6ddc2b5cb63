import type { RatePolicy } from '@sdk/protocol'
import type { EngineKv } from './engine-kv.ts'
import type { RateDecision } from './gcra.ts'

/** One message of a stream, with its place. */
export interface EngineFrame {
  readonly stream: string
  readonly epoch: string
  readonly offset: number
  readonly data: string
}

/**
 * What many server processes share. The memory engine serves one process;
 * `@sdk/redis` joins many. Every engine passes the same contract suite.
 */
export interface Engine {
  /** Appends to a stream. Offsets are 1, 2, 3 … within an epoch, and every subscriber sees them in order. */
  publish(stream: string, data: string): Promise<{ epoch: string; offset: number }>
  /** Hears every message of a stream from now on; the promise settles when it does. */
  subscribe(stream: string, listener: (frame: EngineFrame) => void): Promise<() => void>
  /** A small store of texts. */
  readonly kv: EngineKv
  /** Takes units out of what a policy grants to `key`; answers without a promise where it can. */
  take?(key: string, cost: number, policy: RatePolicy): RateDecision | Promise<RateDecision>
  /** Ends all subscriptions and connections. */
  close(): Promise<void>
}
