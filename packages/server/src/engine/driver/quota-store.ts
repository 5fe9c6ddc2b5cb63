import type { RatePolicy } from '@sdk/protocol'

/** What it got. */
export interface Grant {
  /** At most what was wanted; none where the quota is used up. */
  readonly granted: number
  /** Milliseconds until the quota is whole again. */
  readonly fullIn: number
}

/** Where quotas are kept that processes share: what a driver brings along. */
export interface QuotaStore {
  /** Takes units out of quotas, each in one step; of a policy and key, one request is under way at a time. */
  grant(requests: readonly GrantRequest[]): Promise<readonly Grant[]>
}

/** Units that a process asks for, to give them out by itself; fewer than none gives some back. */
export interface GrantRequest {
  readonly key: string
  readonly policy: RatePolicy
  readonly wanted: number
}
