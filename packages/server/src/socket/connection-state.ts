import type { ConnectionEnd } from './connection-end.ts'

/** The state of a connection, including how it ends. */
export type ConnectionState =
  /** Waiting for the `hi` frame of an `sdk.v1` client. */
  | { readonly phase: 'greeting' }
  /** The client's session is being looked up; frames from the client are buffered. */
  | { readonly phase: 'resuming' }
  /** Attached to a session. */
  | { readonly phase: 'open' }
  /** A close frame was sent; incoming frames are ignored. */
  | { readonly phase: 'closing'; readonly end: ConnectionEnd }
  /** The transport has ended. */
  | { readonly phase: 'closed'; readonly end: ConnectionEnd }

type Phase = ConnectionState['phase']

/** The allowed transitions. A raw connection starts as `open`, because raw clients send no `hi`. */
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
  // The first end is kept, unless the user's session ends in the meantime: then the session must not be resumed.
  return 'end' in from && 'end' in to && to.end.keepsSession ? { ...to, end: from.end } : to
}
