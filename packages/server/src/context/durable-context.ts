import type { Serialized } from '@sdk/protocol'
import type { Context } from './context.ts'

/** The context that the handler of a durable agent receives. */
export interface DurableContext<Params = Record<string, string>, Query = Record<string, string>> extends Context<
  Params,
  Query
> {
  /** The run that executes the handler. */
  readonly run: RunInfo
  /**
   * Runs work once and stores its value. When the handler runs again, for example in another process, a finished step
   * does not: its stored value is returned. Steps in loops may have the same name, and are numbered in order.
   * @example const plan = await ctx.step('plan', () => makePlan(question))
   */
  readonly step: StepRunner
}

/** The run that executes a handler. */
export interface RunInfo {
  /** The id of the run, as in the `Run-Id` header. */
  readonly id: string
  /** The number of times that the handler has started, from 1. */
  readonly attempt: number
}

/** Runs the steps of a run. */
export interface StepRunner {
  <T>(name: string, work: (info: StepInfo) => T, options?: StepOptions): Promise<Serialized<Awaited<T>>>
  /**
   * Runs a step that streams: yield its chunks from the handler. When the handler runs again, a finished step yields
   * nothing, because its chunks are stored. If it fails, its chunks are retracted before it is retried.
   * @example yield* ctx.step.stream('write', () => model(notes))
   */
  stream<T>(
    name: string,
    work: (info: StepInfo) => AsyncIterable<T>,
    options?: StepOptions,
  ): AsyncGenerator<T, void, undefined>
}

/** The argument of a step's work. */
export interface StepInfo {
  /** A key that is the same whenever the step is repeated. Pass it to payment APIs as an idempotency key. */
  readonly key: string
  /** A signal that aborts when the run is cancelled or continues in another process. */
  readonly signal: AbortSignal
  /** The number of this try, from 1. */
  readonly attempt: number
}

/** Options for a step. */
export interface StepOptions {
  /** The number of times that the step is tried again after an error. @default the agent's `durable.retries`, or 2 */
  readonly retries?: number
}
