import type { Schema, SchemaInput, Serialized, SerializedResult, HasTypes } from '@sdk/protocol'
import type { Context } from '../context/context.ts'
import type { DurableContext } from '../context/durable-context.ts'
import type { JsonLimits } from '../schema/json-bounds.ts'
import { assertSchemas } from '../schema/assert-schemas.ts'
import { captureLocation, type SourceLocation } from '../platform/source-location.ts'
import {
  assertEvents,
  toDurableSettings,
  type DurableOptions,
  type DurableSettings,
  type EventSchemas,
} from './durable.ts'
import { toSchedules, type Schedule, type ScheduleOption } from './schedule.ts'

/** The types that a handler may return if its value, or each chunk, must match `T`. */
export type HandlerResult<T> =
  | T
  | AsyncIterable<T>
  | ReadableStream<T>
  | Response
  | Promise<T | AsyncIterable<T> | ReadableStream<T> | Response>

/**
 * The type of the value, or of each chunk, that callers receive from a handler with this result type. The value of a
 * `Response` is unknown.
 */
export type HandlerOutput<R> = OutputOf<Awaited<R>>

// Distributes over unions, since a handler may return a `Response` or a value.
type OutputOf<Result> = Result extends Chunks<infer Chunk> ? Chunk : Result extends Response ? unknown : Result

/** Whether a handler with this result type streams. It is `boolean` if only some of its results are chunks. */
export type IsStream<R> = [R] extends [never] ? false : IsChunks<Awaited<R>>

type IsChunks<Result> = Result extends Chunks<unknown> ? true : false

/** The results whose items are sent as chunks. The DOM's `ReadableStream` is not always declared as an iterable. */
type Chunks<Chunk> = AsyncIterable<Chunk> | IterableIterator<Chunk> | ReadableStream<Chunk>

/** `T`, evaluated after `Known` is inferred, so that literals returned by a handler are not widened to `string`. */
export type AfterInference<Known, T> = [Known] extends [unknown] ? T : never

/** The options that all agents have. */
interface CommonAgentDefinition<In, CallerIn, OutIn, Out> {
  /** A one-sentence description of the agent. */
  description?: string
  /** The schema that validates the input. @default any JSON */
  input?: Schema<CallerIn, In>
  /** The schema that validates the result, or each chunk if the handler streams. @default no validation */
  output?: Schema<OutIn, Out>
  /** Whether the handler streams. Set it for OpenAPI if the handler is not a generator function. @default false */
  stream?: boolean
  /** Limits on the JSON values in a request. @default the app's limits, raised to the size that `input` declares */
  limits?: JsonLimits
}

/** Options for `createAgent`. */
export interface AgentDefinition<In, CallerIn, OutIn, Out, R> extends CommonAgentDefinition<In, CallerIn, OutIn, Out> {
  /** Whether the agent is durable; see `DurableAgentDefinition`. @default false: a run ends with its request */
  durable?: false
  /** Handles a request: returns a value or yields chunks. */
  handler: AfterInference<OutIn, (ctx: Context, input: In) => R>
}

/** Options for creating a durable agent with `createAgent`. */
export interface DurableAgentDefinition<
  In,
  CallerIn,
  OutIn,
  Out,
  R,
  Events extends EventSchemas = {},
  StateIn = undefined,
  State = null,
> extends CommonAgentDefinition<In, CallerIn, OutIn, Out> {
  /**
   * Whether the agent is durable, optionally with settings. The chunks and steps of a run are stored in the database,
   * so that the run survives the end of its request, and another process continues it after a crash. The handler's
   * `ctx` has `step`, `sleep`, `wait` and `run`.
   */
  durable: true | DurableOptions
  /**
   * The schemas of the events that `ctx.wait` waits for. Each one is sent to `POST …/runs/:run/events/{event}`.
   * @default none
   * @example events: { approval: z.object({ ok: z.boolean() }) }
   */
  events?: Events
  /**
   * The schema of `ctx.thread.state`, the JSON that the runs of a thread share. Without a default, it is null at first.
   * @default no state
   * @example state: z.object({ messages: z.array(z.string()) }).default({ messages: [] })
   */
  state?: Schema<StateIn, State>
  /**
   * The times at which runs start, as cron expressions with five fields, in UTC or another time zone. Such runs have no
   * input, and `ctx.auth` is null.
   * @default none
   * @example schedule: { cron: '0 7 * * MON-FRI', timeZone: 'Europe/Berlin' }
   */
  schedule?: ScheduleOption | readonly ScheduleOption[]
  /** Handles a run: returns a value or yields chunks. It may run again from the beginning. */
  handler: AfterInference<
    OutIn,
    (
      ctx: DurableContext<Record<string, string>, Record<string, string>, Events, ThreadState<StateIn, State>>,
      input: In,
    ) => R
  >
}

/** The state of a thread. It is null at first, unless its schema has a default. */
type ThreadState<StateIn, State> = undefined extends StateIn ? State : State | null

type AnyAgentDefinition = CommonAgentDefinition<unknown, unknown, unknown, unknown> & {
  durable?: boolean | DurableOptions
  events?: EventSchemas
  state?: Schema
  schedule?: ScheduleOption | readonly ScheduleOption[]
  handler: Agent['handler']
}

/** The types of an agent. */
export interface AgentIO<Input, Value, Stream> {
  input: Input
  output: SerializedResult<Value>
  value: Value
  stream: Stream
  query: unknown
}

/** The values of a durable agent's events as callers send them, by name. */
export type EventInputs<Events extends EventSchemas> = {
  [Event in keyof Events & string]: SchemaInput<Events[Event]>
}

/** Further types of a durable agent. */
export interface DurableIO<Events extends EventSchemas, State> {
  durable: true
  events: EventInputs<Events>
  state: Serialized<State>
}

/** An agent, served at `POST /agent/{name}`. */
export interface Agent<Name extends string = string, IO = unknown> extends HasTypes<IO> {
  readonly kind: 'agent'
  readonly name: Name
  readonly description: string | undefined
  readonly input: Schema | undefined
  readonly output: Schema | undefined
  readonly stream?: boolean | undefined
  readonly limits: JsonLimits | undefined
  /** The options of a durable agent. Undefined if the agent is not durable. */
  readonly durable?: DurableSettings | undefined
  /** The schemas of the events of a durable agent. @default no events */
  readonly events?: EventSchemas | undefined
  /** The schema of the state of a durable agent's threads. @default no state */
  readonly state?: Schema | undefined
  /** The schedules of a durable agent. @default none */
  readonly schedules?: readonly Schedule[] | undefined
  readonly handler: (ctx: never, input: never) => unknown
  /** The source location of the definition, such as `src/agent/echo/agent.ts:4:16`. Empty if it is unknown. */
  readonly at: SourceLocation
  /** Loads the description and the schemas, if `sdk dev` has not loaded the agent yet. @default already loaded */
  readonly '~load'?: () => Promise<void>
}

/**
 * Defines an agent, served at `POST /agent/{name}`. A returned value is sent as JSON; yielded chunks are streamed.
 * Export the agent from `src/agent/{name}/index.ts`, or pass it to `createApp`.
 * @example createAgent('echo', { handler: (ctx, input) => input })
 * @example
 * createAgent('count', {
 *   input: z.object({ to: z.number() }),
 *   async *handler(ctx, { to }) {
 *     for (let number = 1; number <= to; number++) yield { number }
 *   },
 * })
 */
export function createAgent<
  const Name extends string,
  In = unknown,
  CallerIn = In,
  OutIn = unknown,
  R extends HandlerResult<OutIn> = HandlerResult<OutIn>,
  Out = HandlerOutput<R>,
  Events extends EventSchemas = {},
  StateIn = undefined,
  State = null,
>(
  name: Name,
  definition: DurableAgentDefinition<In, CallerIn, OutIn, Out, R, Events, StateIn, State>,
): Agent<Name, AgentIO<CallerIn, Out, IsStream<R>> & DurableIO<Events, State>>
export function createAgent<
  const Name extends string,
  In = unknown,
  CallerIn = In,
  OutIn = unknown,
  R extends HandlerResult<OutIn> = HandlerResult<OutIn>,
  Out = HandlerOutput<R>,
>(
  name: Name,
  definition: AgentDefinition<In, CallerIn, OutIn, Out, R>,
): Agent<Name, AgentIO<CallerIn, Out, IsStream<R>>>
export function createAgent(name: string, definition: AnyAgentDefinition): Agent {
  if (!/^[a-z][a-zA-Z0-9-]{0,63}$/.test(name)) {
    throw new TypeError(
      `an agent's name must start with a-z and have at most 64 letters, digits and "-", got ${JSON.stringify(name)}`,
    )
  }
  if (typeof definition?.handler !== 'function')
    throw new TypeError(`agent ${JSON.stringify(name)} has no handler: pass one to createAgent(name, { handler })`)
  const { description, input, output, stream, limits, events, state, handler } = definition
  assertSchemas(`agent ${JSON.stringify(name)}`, { input, output, state })
  const durable = toDurableSettings(name, definition.durable)
  assertEvents(name, events, durable !== undefined)
  if (state !== undefined && durable === undefined)
    throw new TypeError(
      `agent ${JSON.stringify(name)}: state must be used with durable: true, since only runs have threads`,
    )
  const schedules = toSchedules({ name, isDurable: durable !== undefined, input }, definition.schedule)
  const at = captureLocation()
  const io = { '~io': undefined as never }
  const schemas = { input, output, events, state }
  return { kind: 'agent', name, description, ...schemas, stream, limits, durable, schedules, handler, at, ...io }
}

/** Returns whether a value was created by `createAgent`. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'agent'
}
