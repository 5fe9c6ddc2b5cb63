import type { Schema, Serialized, HasTypes } from '@sdk/protocol'
import type { Context } from '../context/context.ts'
import type { JsonLimits } from '../schema/json-bounds.ts'
import { assertSchemas } from '../schema/assert-schemas.ts'
import { captureLocation, type SourceLocation } from '../platform/source-location.ts'

/** What a handler may answer when each value (or chunk) must fit `T`. */
export type HandlerResult<T> =
  | T
  | AsyncIterable<T>
  | ReadableStream<T>
  | Response
  | Promise<T | AsyncIterable<T> | ReadableStream<T> | Response>

/** The value, or the chunk, that callers get from a handler's result. */
export type HandlerOutput<R> =
  Awaited<R> extends AsyncIterable<infer Chunk> ? Chunk : Awaited<R> extends Response ? unknown : Awaited<R>

/** Does a handler with this result stream? */
export type IsStream<R> = Awaited<R> extends AsyncIterable<unknown> ? true : false

/** `T`, evaluated only after `Known` is inferred. So a literal that a handler returns is not widened to `string`. */
export type AfterInference<Known, T> = [Known] extends [unknown] ? T : never

/** What `createAgent` takes. */
export interface AgentDefinition<In, CallerIn, OutIn, Out, R> {
  /** One sentence on what the agent does. */
  description?: string
  /** Checks what callers send. @default anything that is JSON */
  input?: Schema<CallerIn, In>
  /** Checks the answer, or each chunk where the handler streams. @default unchecked */
  output?: Schema<OutIn, Out>
  /** Declares in the OpenAPI document that the handler streams, if it is not a generator function. @default false */
  stream?: boolean
  /** How many values the JSON of a call may have. @default the limits of the app, or as many as `input` declares */
  limits?: JsonLimits
  /** Answers a call: returns a value, or yields chunks. */
  handler: AfterInference<OutIn, (ctx: Context, input: In) => R>
}

/** An agent, reached at `POST /agent/{name}`. */
export interface Agent<Name extends string = string, IO = unknown> extends HasTypes<IO> {
  readonly kind: 'agent'
  readonly name: Name
  readonly description: string | undefined
  readonly input: Schema | undefined
  readonly output: Schema | undefined
  readonly stream?: boolean | undefined
  readonly limits: JsonLimits | undefined
  readonly handler: (ctx: Context, input: never) => unknown
  /** Where it is defined, such as `src/agent/echo/agent.ts:4:16`; empty where that is not known. */
  readonly at: SourceLocation
}

/**
 * Defines an agent, which callers reach at `POST /agent/{name}`. A handler that returns a value answers JSON; one that
 * yields streams its chunks. Export it from `src/agent/{name}/index.ts`, or pass it to `createApp`.
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
>(
  name: Name,
  definition: AgentDefinition<In, CallerIn, OutIn, Out, R>,
): Agent<Name, { input: CallerIn; output: Serialized<Out>; value: Out; stream: IsStream<R>; query: unknown }> {
  if (!/^[a-z][a-zA-Z0-9-]{0,63}$/.test(name)) {
    throw new TypeError(
      `an agent's name is like "summarize" or "daily-report" (a-z, A-Z, 0-9, "-"), got ${JSON.stringify(name)}`,
    )
  }
  if (typeof definition?.handler !== 'function')
    throw new TypeError(`agent ${JSON.stringify(name)} has no handler: createAgent(name, { handler })`)
  const { description, input, output, stream, limits, handler } = definition
  assertSchemas(`agent ${JSON.stringify(name)}`, { input, output })
  const at = captureLocation()
  return { kind: 'agent', name, description, input, output, stream, limits, handler, at, '~io': undefined as never }
}

/** Is it what `createAgent` returned? */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'agent'
}
