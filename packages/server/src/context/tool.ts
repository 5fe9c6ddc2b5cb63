import type { ErrorEnvelope, PathParams, RouteOf, Schema } from '@sdk/protocol'

/** A route as a tool for a model. The AI SDK accepts it unchanged. */
export interface Tool<Input = unknown, Output = unknown> {
  readonly description: string
  /** The path parameters, the query and the members of the body, as one object. */
  readonly inputSchema: ToolSchema<Input>
  /**
   * Calls the route as the caller. Returns the result, the array of chunks if the route streams, or the error envelope if
   * the call fails.
   */
  execute(this: void, input: Input, options?: ToolCallOptions): Promise<Output>
}

/** The options with which model libraries execute a tool. */
interface ToolCallOptions {
  readonly abortSignal?: AbortSignal | undefined
  readonly toolCallId?: string | undefined
}

/** A Standard Schema with JSON Schema. It only checks that a value is an object: the route validates its members. */
export interface ToolSchema<Input = unknown> extends Schema<unknown, Input> {
  readonly '~standard': Schema<unknown, Input>['~standard'] & {
    readonly jsonSchema: Readonly<Record<'input' | 'output', (options: { target: string }) => Record<string, unknown>>>
  }
}

/** The input of a route's tool: the path parameters, the query and the members of the body. */
export type ToolInput<R extends string> = PathParams<R> &
  Members<RouteOf<R>['query']> &
  BodyMembers<RouteOf<R>['input']>

type Members<Query> = unknown extends Query ? unknown : Query

/** The members of an object. Any other body is the member `input`, if there is one. */
type BodyMembers<Body> = unknown extends Body
  ? { input?: unknown }
  : [Body] extends [undefined]
    ? unknown
    : [Body] extends [readonly unknown[]]
      ? { input: Body }
      : [Body] extends [object]
        ? Body
        : { input: Body }

/** The result of a route's tool. */
export type ToolOutput<R extends string> =
  | (RouteOf<R>['stream'] extends true ? RouteOf<R>['output'][] : RouteOf<R>['output'])
  | ErrorEnvelope

/** The tools of `ctx.tools` with names of your own, by name. */
export type NamedTools<Named extends Readonly<Record<string, string>>> = {
  -readonly [Name in keyof Named]: Tool<ToolInput<Named[Name]>, ToolOutput<Named[Name]>>
}

/** The argument of `ctx.tools`: routes, or routes by the names of their tools. */
export type ToolRoutes = readonly string[] | Readonly<Record<string, string>>

/** A route that has been resolved as a tool, for packages that offer tools in another protocol. */
export interface RouteTool {
  /** The OpenAPI operation id of the route, or the name that was given to it. */
  readonly name: string
  readonly route: string
  /** The method of the route, such as `DELETE`. */
  readonly method: string
  readonly description: string
  /** The JSON Schema of the input. It is an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The JSON Schema of the result, or of each chunk if `isStream`. Null if it is not known. */
  readonly outputSchema: Readonly<Record<string, unknown>> | null
  /** Whether the route is known to stream. */
  readonly isStream: boolean
  /** Calls the route as the caller of the context. Never rejects. */
  run(this: void, input: unknown, options?: ToolRunOptions): Promise<ToolOutcome>
}

/** Options for `RouteTool.run`. */
export interface ToolRunOptions {
  /** A signal that aborts the call. @default the signal of the request */
  signal?: AbortSignal | undefined
  /** The id that the model gave to the call. @default none */
  toolCallId?: string | undefined
  /** Called with each chunk of a stream. @default nothing */
  onChunk?: ((chunk: unknown) => unknown) | undefined
  /** The headers of the call, such as `traceparent`. @default only those that identify the caller */
  headers?: Readonly<Record<string, string>> | undefined
  /** Whether the call counts under the rate limit of its route. @default false */
  isCounted?: boolean | undefined
  /** The name of the client that sent the call, or null if it is not known. @default the call is part of a handler */
  client?: string | null | undefined
}

/** The outcome of a tool: its result, or an error without details that the caller must not see. */
export type ToolOutcome =
  | {
      readonly value: unknown
      readonly isStream: boolean
      /** The JSON of the value, if the route has sent it as text. */
      readonly json?: string | undefined
    }
  | { readonly error: ErrorEnvelope; readonly status: number }

/** Converts a resolved route to a tool. */
export function toTool({ description, inputSchema, run }: RouteTool): Tool {
  return {
    description,
    inputSchema: toToolSchema(inputSchema),
    async execute(input, { abortSignal, toolCallId } = {}) {
      const outcome = await run(input, { signal: abortSignal, toolCallId })
      return 'error' in outcome ? outcome.error : outcome.value
    },
  }
}

function toToolSchema(schema: RouteTool['inputSchema']): ToolSchema {
  // A copy, since model libraries change the schema.
  const jsonSchema = (): Record<string, unknown> => structuredClone(schema)
  return {
    '~standard': {
      version: 1,
      vendor: '@sdk/server',
      validate: (value) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? { value }
          : { issues: [{ message: 'must be an object' }] },
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  }
}
