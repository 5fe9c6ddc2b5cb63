import type { ConnectionEnd } from './connection-end.ts'

/** The state of a connection; how it ends, or ended, is part of it. */
export type ConnectionState =
  /** Waits for the `hi` of an `sdk.v1` client. */
  | { readonly phase: 'greeting' }
  /** Looks for the session of the client; its frames wait. */
  | { readonly phase: 'resuming' }
  /** Has a session. */
  | { readonly phase: 'open' }
  /** Has sent a close frame, and ignores what still comes. */
  | { readonly phase: 'closing'; readonly end: ConnectionEnd }
  /** Has no transport. */
  | { readonly phase: 'closed'; readonly end: ConnectionEnd }

type Phase = ConnectionState['phase']

/** The allowed transitions. A raw connection begins as `open`, as it has no `hi`. */
const TRANSITIONS: Readonly<Record<Phase, readonly Phase[]>> = {
  greeting: ['resuming', 'closing', 'closed'],
  resuming: ['open', 'closing', 'closed'],
  open: ['closing', 'closed'],
  closing: ['closing', 'closed'],
  closed: [],
}

/** Returns the state after a transition; the same state where the transition is not allowed. */
export function transition(from: ConnectionState, to: ConnectionState): ConnectionState {
  if (!TRANSITIONS[from.phase].includes(to.phase)) return from
  // The first end counts, unless the user's session ends meanwhile: then nobody may resume it.
  return 'end' in from && 'end' in to && to.end.keepsSession ? { ...to, end: from.end } : to
}
