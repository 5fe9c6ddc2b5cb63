import type { ConnectionEnd } from './connection-end.ts'

/** The state of a connection, including how it ends. */
export type ConnectionState =
  /** Waiting for the `hi` of an `sdk.v1` client. */
  | { readonly phase: 'greeting' }
  /** Finding the client's session; its frames are buffered. */
  | { readonly phase: 'resuming' }
  /** Attached to a session. */
  | { readonly phase: 'open' }
  /** A close frame was sent; incoming frames are ignored. */
  | { readonly phase: 'closing'; readonly end: ConnectionEnd }
  /** The transport has ended. */
  | { readonly phase: 'closed'; readonly end: ConnectionEnd }

type Phase = ConnectionState['phase']

/** The allowed transitions. A raw connection starts as `open`, because it has no `hi`. */
const TRANSITIONS: Readonly<Record<Phase, readonly Phase[]>> = {
  greeting: ['resuming', 'closing', 'closed'],
  resuming: ['open', 'closing', 'closed'],
  open: ['closing', 'closed'],
  closing: ['closing', 'closed'],
  closed: [],
}

/** Returns the state after a transition, or the same state if the transition is not allowed. */
export function transition(from: ConnectionState, to: ConnectionState): ConnectionState {
  if (!TRANSITIONS[from.phase].includes(to.phase)) return from
  // The first end counts, unless the user's session ends meanwhile: then no client may resume it.
  return 'end' in from && 'end' in to && to.end.keepsSession ? { ...to, end: from.end } : to
}
