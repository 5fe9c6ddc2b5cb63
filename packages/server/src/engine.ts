/** What engines are made of whose processes share a store: a driver brings the store along. */
export {
  createLeasedQuotas,
  type Grant,
  type GrantRequest,
  type LeasedQuotas,
  type QuotaStore,
} from './engine/driver/leased-quotas.ts'
export { createSharedPresence, type SharedPresence, type SharedPresenceParts } from './engine/driver/presence.ts'
export type { Members, PresenceStore } from './engine/driver/presence-store.ts'
export { createSharedSequence, type SequenceStore, type SharedSequence } from './engine/driver/sequence.ts'
export type { Page, StreamSource } from './engine/driver/stream-source.ts'
export { createSubscriptions, type Subscriptions, type SubscriptionsParts } from './engine/driver/subscriptions.ts'
export { OWNER_LIMIT, ownedSize } from './engine/engine-kv.ts'
