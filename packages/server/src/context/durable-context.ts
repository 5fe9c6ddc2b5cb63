import type { Schema, SchemaOutput, Serialized } from '@sdk/protocol'
import type { Context } from './context.ts'
import type { SleepTime } from './start.ts'
import type { ContextTransaction } from './transaction.ts'

/** The context that the handler of a durable agent receives. */
export interface DurableContext<
  Params = Record<string, string>,
  Query = Record<string, string>,
  Events extends Readonly<Record<string, Schema>> = Readonly<Record<string, Schema>>,
  State = unknown,
> extends Context<Params, Query> {
  /** The current run. */
  readonly run: RunInfo
  /**
   * The thread of the run, or null if the run was started without `Run-Thread`. Its `state` can be assigned or changed.
   * It is stored when the run ends successfully, at most 1 MiB.
   */
  readonly thread: ThreadInfo<State> | null
  /**
   * Runs a function once and stores its result. If the handler runs again, for example in another process, a finished
   * step returns its stored result instead of running again. Steps with the same name, such as in a loop, are numbered
   * in order.
   * @example const plan = await ctx.step('plan', () => makePlan(question))
   */
  readonly step: StepRunner
  /**
   * Waits until a time, or for a duration such as `'1d'`, at most one year. The time is stored under the name, as for a
   * step. While a run sleeps for more than a minute, it uses no memory; afterwards, the handler runs again.
   * @example await ctx.sleep('a day', '1d')
   */
  sleep(name: string, time: SleepTime): Promise<void>
  /**
   * Waits for an event that the agent declares in `events`, and returns its value. An event that was sent before the
   * wait is returned immediately. Meanwhile, the run uses no memory; when the event arrives, the handler runs again.
   * Throws an `ApiError` with the code `EVENT_TIMEOUT` if there is no event before the timeout.
   * @example const { ok } = await ctx.wait('approval', { ask: { cost }, timeout: '3d' })
   */
  wait<Event extends keyof Events & string>(event: Event, options?: WaitOptions): Promise<SchemaOutput<Events[Event]>>
}

/** Options for `ctx.wait`. */
export interface WaitOptions {
  /** JSON for the person who sends the event, returned as `waiting.ask`, at most 64 KiB. @default null */
  readonly ask?: unknown
  /** The time after which the wait throws `EVENT_TIMEOUT`, at most one year ahead. @default one year */
  readonly timeout?: SleepTime
  /** The id that distinguishes several waits for the same event, sent as `?id=`. @default none */
  readonly id?: string
}

/** Information about a run for its handler. */
export interface RunInfo {
  /** The id of the run, as in the `Run-Id` header. */
  readonly id: string
  /** The number of times that the handler has started, including this time. */
  readonly attempt: number
  /** The time of the tick if a schedule has started the run; otherwise null. */
  readonly scheduledAt: Date | null
}

/** The thread of a run for its handler. */
export interface ThreadInfo<State = unknown> {
  /** The id of the thread, as in the `Run-Thread` header. */
  readonly id: string
  /** The state by the agent's `state` schema. It is null if the schema has no default and nothing is stored yet. */
  state: State
}

/** The type of `ctx.step`. */
export interface StepRunner {
  /**
   * Runs a step in a transaction of the app's database, which also stores the result. The changes are made exactly once,
   * even if the process ends at any time. Runs must be stored in the same database.
   * @example await ctx.step('pay', ({ tx }) => tx.rows(payments).create({ amount }), { transaction: true })
   */
  <T>(
    name: string,
    work: (info: TransactionStepInfo) => T,
    options: StepOptions & { readonly transaction: true },
  ): Promise<Serialized<Awaited<T>>>
  <T>(name: string, work: (info: StepInfo) => T, options?: StepOptions): Promise<Serialized<Awaited<T>>>
  /**
   * Runs a step that streams. Yield its chunks from the handler. If the handler runs again, a finished step yields
   * nothing, because its chunks are already stored. If the step fails, its chunks are retracted before it is retried.
   * The return value of a generator is stored as JSON, and is the value of the `yield*` expression.
   * @example yield* ctx.step.stream('write', () => model(notes))
   */
  stream<T, R = void>(
    name: string,
    work: (info: StepInfo) => AsyncGenerator<T, R> | AsyncIterable<T>,
    options?: StepOptions,
  ): AsyncGenerator<T, Serialized<R>, undefined>
}

/** The argument passed to the function of a step. */
export interface StepInfo {
  /** A key that stays the same when the step is repeated. Use it as an idempotency key, such as for payments. */
  readonly key: string
  /** A signal that aborts when the run is cancelled or continues in another process. */
  readonly signal: AbortSignal
  /** The number of this attempt, starting at 1. */
  readonly attempt: number
}

/** The argument passed to the function of a step with `transaction: true`. */
export interface TransactionStepInfo extends StepInfo {
  /** The transaction. It is rolled back if the function throws an error. */
  readonly tx: ContextTransaction
}

/** Options for a step. */
export interface StepOptions {
  /**
   * The maximum number of times that the step is retried after an error.
   * @default the agent's `durable.retries`, or 2
   */
  readonly retries?: number
  /** Whether the step runs in a transaction. A step that streams cannot. @default false */
  readonly transaction?: boolean
}
