import type { ErrorEnvelope } from './envelope.ts'
import type { Pagination } from './page.ts'

/** The path of the built-in socket for live data. */
export const LIVE_SOCKET = '/ws/_live'

/** A message that a client sends on the socket for live data. */
export type LiveRequest = LiveSubscribe | LiveSync | LiveEnd

/** Subscribes to the response of a GET route. */
export interface LiveSubscribe {
  /** The number of the subscription. The client chooses it; it is unique per connection. */
  sub: number
  /** The route, such as `GET /api/v1/tasks/:id`. */
  route: string
  params?: Record<string, string | number>
  query?: Record<string, unknown>
  /** The tag of the data that the client already has. */
  has?: string
}

/** Requests fresh data for subscriptions, for example after a change. The server responds with `LiveSynced`. */
export interface LiveSync {
  sync: number[]
}

/** Ends a subscription. */
export interface LiveEnd {
  end: number
}

/** A message that the server sends on the socket for live data. */
export type LiveMessage = LiveSnapshot | LiveSame | LiveError | LiveChange | LiveSynced

/** The whole data of a subscription. It replaces all earlier data. */
export interface LiveSnapshot {
  sub: number
  /** The id of the list. Subscriptions with the same list receive the same changes. */
  list: string
  v: number
  all: unknown
  /** The tag of the data, to send as `has` after a reconnect. */
  tag: string
}

/** The response to a subscription whose data is still current. */
export interface LiveSame {
  sub: number
  list: string
  v: number
  same: true
}

/** The end of a subscription with an error. The client removes the data. */
export interface LiveError {
  sub: number
  error: ErrorEnvelope['error']
  status: number
}

/**
 * A change of a list. The client removes the items whose ids are in `cut`, and then inserts the items of `put` in order,
 * each at its index. A changed or moved item is in both. If `v` is not the next version, the client subscribes again.
 */
export interface LiveChange {
  list: string
  v: number
  cut: (number | string)[]
  put: [index: number, item: unknown][]
  /** The pagination of the list. Omitted if it has not changed. */
  page?: Pagination
  tag: string
}

/** The response to a sync of one subscription. All changes before the sync were sent before. */
export interface LiveSynced {
  synced: number[]
  v: number
}
