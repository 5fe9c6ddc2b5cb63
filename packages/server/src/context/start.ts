import type { HasTypes } from '@sdk/protocol'

/** An agent's name and types, as `ctx.call` and `ctx.start` need them. Every `Agent` satisfies it. */
export interface AgentRef<IO = unknown> extends HasTypes<IO> {
  readonly kind: 'agent'
  readonly name: string
}

/** The agent types that a start needs. Only durable agents have them. */
export interface StartableIO {
  input: unknown
  durable: true
}

/** A duration such as `'90m'`, `'12h'` or `'7d'`, a number of milliseconds, or a point in time. */
export type SleepTime = string | number | Date

/** Options for starting a run in the background. */
export interface StartOptions {
  /** The time at which the run starts, at most one year ahead. Until then, it is queued. @default immediately */
  readonly at?: SleepTime
  /**
   * A key of 1 to 255 characters. The agent starts at most one run per key: if the key was used before, the id of that
   * run is returned.
   * @default none, so that each call starts a run; in a durable agent, a key that is the same in every attempt
   */
  readonly key?: string
  /** The id of the user that the run belongs to. @default the caller, or no user for `app.start` */
  readonly as?: string
  /** The thread of the run, which can have only one unfinished run. It requires a user. @default none */
  readonly thread?: string
}

/** A run that was started in the background. */
export interface StartedRun {
  /** The id of the run, as in the `Run-Id` header. */
  readonly id: string
}

/** A function that starts a run of a durable agent in the background. */
export type StartRun = <IO extends StartableIO>(
  agent: AgentRef<IO>,
  input: IO['input'],
  options?: StartOptions,
) => Promise<StartedRun>
