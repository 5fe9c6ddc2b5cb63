import type { ResourceFacet } from '../define/resource-facet.ts'
import { isChunks } from '../platform/is-chunks.ts'
import { ApiError, validate, type Validated } from '@sdk/protocol'
import { andThen, isThenable, type MaybePromise } from '../platform/and-then.ts'
import { isAgent, type Agent } from '../define/agent.ts'
import { accepts, namesMediaType } from '../http/accept.ts'
import { BODILESS_METHODS, isJson, mayHaveBody, readJsonText, validateOrThrow } from '../http/body.ts'
import { describeLocation, type SourceLocation } from '../platform/source-location.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { isResponse, type Reply, toReply } from '../http/reply.ts'
import type { RequestContext } from '../context/context.ts'
import { toApiError } from '../http/error-response.ts'
import { findPromise } from './find-promise.ts'
import type { LiveSource } from './live-source.ts'
import { toKeyedRequest } from './keyed-request.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { parseJson } from '../http/json.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import { httpError, validationError } from '../http/http-error.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { inputSchemaOf } from '../schema/alternatives.ts'
import { toJsonBounds } from '../schema/json-bounds.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import { parseQuery } from '../http/url.ts'
import type { AnyRouteDefinition, RouterEntry } from '../define/router.ts'

/** A method and path, with their definition and handler. */
export interface Endpoint {
  readonly route: string
  readonly method: string
  readonly path: string
  /**
   * The kind of endpoint. `system` endpoints, such as `/healthz`, belong to the app itself. They have no rate limits
   * and do not appear in the access log.
   */
  readonly kind: 'agent' | 'route' | 'resource' | 'system'
  readonly definition: Definition
  /** The resource and the action. Only set if the kind is `resource`. */
  readonly resource?: ResourceFacet
  /** Whether the path has no parameters. */
  readonly isStatic: boolean
  /** The source location of the definition. */
  readonly at?: SourceLocation | undefined
  run(ctx: RequestContext, tools: EndpointTools): MaybePromise<EndpointResult>
  /** Opens the data for live subscriptions, with the same checks as `run`. */
  live?(ctx: RequestContext, tools: EndpointTools): Promise<LiveSource>
}

/** The result of an endpoint: a reply, or an error to reply with. Returning an error is faster than throwing it. */
export type EndpointResult = Reply | ApiError

type Definition = Agent | AnyRouteDefinition

/** An endpoint for an agent, a route or a resource. */
export type PublicEndpoint = Endpoint & { readonly kind: 'agent' | 'route' | 'resource' }

/** The tools that all endpoints share. */
export interface EndpointTools {
  readonly limits: Required<RequestLimits>
  readonly idempotency: Idempotency
  /** Whether to log warnings about mistakes in results, such as a missing `await`. */
  readonly isDevelopment: boolean
}

/** Creates the endpoint for an agent. `answer` handles its requests, by default with the agent's handler. */
export function agentEndpoint(agent: Agent, answer?: AnswerRequest): PublicEndpoint {
  if (!isAgent(agent)) throw new TypeError('agents must be created with createAgent; is the default export missing?')
  const { name, at } = agent
  return createEndpoint({ kind: 'agent', method: 'POST', path: `/agent/${name}`, definition: agent, at }, answer)
}

/** A function that handles a request whose `Accept` header, parameters and JSON are valid. */
export type AnswerRequest = (
  definition: Definition,
  asked: HandlerCall,
  tools: EndpointTools,
) => MaybePromise<EndpointResult>

/** Creates an endpoint of the app itself, such as `/healthz`. */
export function systemEndpoint(path: string, run: () => MaybePromise<Reply>): Endpoint {
  const definition = { handler: run }
  return { route: `GET ${path}`, method: 'GET', path, kind: 'system', definition, isStatic: true, run }
}

/** Creates the endpoints for a route, one for each method. */
export function routeEndpoint({ methods, path, definition, at }: RouterEntry & { kind: 'route' }): PublicEndpoint[] {
  return methods.map((method) => createEndpoint({ kind: 'route', method, path, definition, at }))
}

/** Creates an endpoint. `answer` handles its requests, by default with the handler of the definition. */
export function createEndpoint(
  named: Pick<PublicEndpoint, 'kind' | 'method' | 'path' | 'definition' | 'at'>,
  answer?: AnswerRequest,
): PublicEndpoint {
  const { method, path } = named
  return { ...named, route: `${method} ${path}`, isStatic: !/[:*]/.test(path), run: createEndpointRun(named, answer) }
}

/** Runs an agent in this process. Validates its input and output, and returns the value or the chunks. */
export async function runAgent(agent: Agent, input: unknown, ctx: RequestContext): Promise<unknown> {
  return runAgentHandler(agent, await validateInput(agent, input), ctx)
}

/** Runs an agent's handler with valid input. Validates its output, and returns the value or the chunks. */
export async function runAgentHandler(agent: Agent, input: unknown, ctx: RequestContext): Promise<unknown> {
  const result: unknown = await agent.handler(ctx as never, input as never)
  return typeof result === 'object' && result !== null && isChunks(result)
    ? validateChunks(agent, result)
    : validateOutput(agent, result)
}

/** Validates the input of an agent. Throws 400 if it is invalid. */
export async function validateInput({ input: schema }: Pick<Agent, 'input'>, sent: unknown): Promise<unknown> {
  if (schema === undefined) return sent
  const checked = await validateOrThrow(schema, sent, 'body')
  const unknown = unknownFields(schema, { sent, checked, source: 'body' })
  if (unknown.length > 0) throw validationError(unknown)
  return checked
}

/**
 * Creates an endpoint's `run`. It checks, in this order, the `Accept` header, the body's type and size, the path and
 * query parameters, and the JSON.
 */
function createEndpointRun(
  { definition, at }: Pick<PublicEndpoint, 'definition' | 'at'>,
  answer: AnswerRequest = answerIdempotently,
): Endpoint['run'] {
  const { input, limits } = definition
  return (ctx, tools) => {
    assertAcceptable(definition, ctx.incoming.header('accept'))
    return andThen(readBody(definition, ctx.incoming, tools.limits.body), (text) => {
      if (text !== undefined) ctx.incoming.observer?.onBody(text)
      return andThen(validateParameters(definition, ctx), () => {
        const bounds = toJsonBounds(input && inputSchemaOf(input), tools.limits, limits)
        const body = text === undefined || text === '' ? undefined : parseJson(text, bounds)
        const asked = { ctx, body, isRead: text !== undefined }
        return answer(tools.isDevelopment ? watchResults(definition, at) : definition, asked, tools)
      })
    })
  }
}

/** Wraps the handler to log a warning if its result contains a promise, because an `await` is probably missing. */
function watchResults<D extends Definition>(definition: D, at: SourceLocation | undefined): D {
  const handler = async (ctx: never, input: never): Promise<unknown> => {
    const result: unknown = await definition.handler(ctx, input)
    const path = isPlainAnswer(result) ? findPromise(result) : null
    const { log, route } = ctx as RequestContext
    if (path !== null) log.warn(`the result of ${route}${describeLocation({ at })} has a Promise at ${path}: await it`)
    return result
  }
  return { ...definition, handler }
}

function isPlainAnswer(result: unknown): boolean {
  return typeof result === 'object' && result !== null && !isChunks(result) && !isResponse(result)
}

function assertAcceptable(definition: Definition, accept: string | null): void {
  const { json, ndjson, sse, problem } = MEDIA_TYPE
  const raw = 'content' in definition && definition.content !== undefined ? [definition.content] : []
  if (accepts(accept, [json, ...raw]) || [ndjson, sse, problem].some((type) => namesMediaType(accept, type))) return
  const types = [json, ndjson, sse, ...raw].join(', ')
  throw httpError('NOT_ACCEPTABLE', `none of the accepted media types is supported; available: ${types}`)
}

/** Reads a JSON body as text. Returns undefined if the method has no body, or if the handler reads the body itself. */
function readBody(definition: Definition, call: ServerRequest, limit: number): string | undefined | Promise<string> {
  if (BODILESS_METHODS.has(call.method) || ('raw' in definition && definition.raw === true)) return undefined
  const isOurs = isAgent(definition) || definition.input !== undefined || isJson(call)
  return isOurs ? readJsonText(call, limit) : undefined
}

/** Validates the path and query parameters if the route has schemas for them. Throws one 400 error with all issues. */
function validateParameters(definition: Definition, ctx: RequestContext): void | Promise<void> {
  ctx.query = parseQuery(ctx.search)
  const { params, query } = isAgent(definition) ? NO_SCHEMAS : definition
  if (params === undefined && query === undefined) return undefined
  const path = params === undefined ? unchecked(ctx.params) : validate(params, ctx.params, 'path')
  const search = query === undefined ? unchecked(ctx.query) : validate(query, ctx.query, 'query')
  return andThen(path, (pathResult) =>
    andThen(search, (queryResult) => {
      const details = [pathResult, queryResult].flatMap((result) => (result.ok ? [] : result.details))
      if (!pathResult.ok || !queryResult.ok) throw validationError(details)
      if (query !== undefined) {
        const strangers = unknownFields(query, { sent: ctx.query, checked: queryResult.value, source: 'query' })
        if (strangers.length > 0) throw validationError(strangers)
      }
      ctx.params = pathResult.value
      ctx.query = queryResult.value
    }),
  )
}

const NO_SCHEMAS: Pick<AnyRouteDefinition, 'params' | 'query'> = {}

function unchecked(value: unknown): Validated<unknown> {
  return { ok: true, value }
}

/** A request for a handler. */
export interface HandlerCall {
  readonly ctx: RequestContext
  /** The parsed body. Undefined if the body is empty, or if the handler reads it itself. */
  readonly body: unknown
  readonly isRead: boolean
}

/** Handles a request. Returns the stored reply if its `Idempotency-Key` was used before. */
function answerIdempotently(
  definition: Definition,
  asked: HandlerCall,
  tools: EndpointTools,
): MaybePromise<EndpointResult> {
  const { ctx, isRead } = asked
  const request = toKeyedRequest(ctx, ctx.search === '' ? asked.body : { search: ctx.search, body: asked.body })
  // A body that was not read cannot be compared with the body of an earlier request.
  const isComparable = isRead || !mayHaveBody(ctx.incoming)
  if (request === null || !isComparable || isSignIn(definition)) return answerRequest(definition, asked)
  return tools.idempotency.run(request, () => andThen(answerRequest(definition, asked), orThrow))
}

/**
 * Returns whether a route signs users in. The responses of such a route contain secrets, so they are not stored under
 * an `Idempotency-Key`.
 */
function isSignIn(definition: Definition): boolean {
  return 'rateLimit' in definition && definition.rateLimit === 'auth'
}

/** Returns the result if it is a reply, or throws it if it is an error. */
export function orThrow(made: EndpointResult): Reply {
  if (made instanceof ApiError) throw made
  return made
}

function answerRequest(definition: Definition, asked: HandlerCall): MaybePromise<EndpointResult> {
  const { input } = definition
  if (input === undefined) return runEndpointHandler(definition, asked.ctx, asked.body)
  return andThen(validate(input, asked.body, 'body'), (result) => {
    if (!result.ok) return validationError(result.details)
    const strangers = unknownFields(input, { sent: asked.body, checked: result.value, source: 'body' })
    return strangers.length === 0 ? runEndpointHandler(definition, asked.ctx, result.value) : validationError(strangers)
  })
}

function runEndpointHandler(definition: Definition, ctx: RequestContext, input: unknown): MaybePromise<Reply> {
  const { output, handler } = definition
  const returned: unknown = handler(ctx as never, input as never)
  // Converts other thenables, such as query builders, to promises.
  const settled = isThenable(returned) && !(returned instanceof Promise) ? Promise.resolve(returned) : returned
  return andThen(settled, (result) =>
    toReply(result, {
      accept: ctx.incoming.header('accept'),
      content: 'content' in definition ? definition.content : undefined,
      status: ('status' in definition && definition.status) || 200,
      check: output === undefined ? undefined : (value) => validateOutput(definition, value),
      toError(thrown) {
        ctx.incoming.observer?.onError(thrown)
        return toApiError(
          thrown,
          () => ctx.log,
          () => ctx.signal,
        )
      },
      // A HEAD request never reads the chunks, so its reply does not wait for the first one.
      signal: ctx.incoming.method === 'HEAD' ? null : () => ctx.signal,
    }),
  )
}

/** Validates a result. A mismatch is a server error, not a client error. */
async function validateOutput({ output }: Pick<AnyRouteDefinition, 'output'>, value: unknown): Promise<unknown> {
  if (output === undefined) return value
  try {
    return await validateOrThrow(output, value, 'body')
  } catch (cause) {
    throw new Error("the handler's result does not match its output schema", { cause })
  }
}

async function* validateChunks(agent: Agent, chunks: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator {
  for await (const chunk of chunks) yield await validateOutput(agent, chunk)
}
