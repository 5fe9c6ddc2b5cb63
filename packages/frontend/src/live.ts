// Live data, for UI framework bindings. Apps use `live: true` in `@sdk/react`, or `client.watch`.
export { subscribeLive, type LiveSubscription } from './live/subscribe-live.ts'
export type { LiveEvents, LiveTarget } from './live/live-entry.ts'
