/** Building blocks for engines whose processes share a store. The driver implements access to the store. */
export { createLeasedQuotas, type LeasedQuotas } from './engine/driver/leased-quotas.ts'
export type { Grant, GrantRequest, QuotaStore } from './engine/driver/quota-lease.ts'
export {
  createSharedPresence,
  type PresenceStore,
  type RoomMembers,
  type SharedPresence,
  type SharedPresenceOptions,
} from './engine/driver/presence.ts'
export { createSharedSequence, type SequenceStore, type SharedSequence } from './engine/driver/sequence.ts'
export { retryDelay } from './engine/driver/retry-delay.ts'
export type { StreamPage } from './engine/driver/follower.ts'
export {
  createSubscriptions,
  type StreamSource,
  type Subscriptions,
  type SubscriptionsOptions,
} from './engine/driver/subscriptions.ts'
export { OWNER_LIMIT, ownedSize } from './engine/engine-kv.ts'
