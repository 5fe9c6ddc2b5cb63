import type { ResourceFacet } from '../define/resource-facet.ts'
import { isChunks } from '../platform/is-chunks.ts'
import { ApiError, validate, type Schema, type Validated } from '@sdk/protocol'
import { andThen, isThenable, type MaybePromise } from '../platform/and-then.ts'
import { isAgent, type Agent } from '../define/agent.ts'
import { accepts, namesMediaType } from '../http/accept.ts'
import { BODILESS_METHODS, isJson, readJsonText, validateOrThrow } from '../http/body.ts'
import { describeLocation, type SourceLocation } from '../platform/source-location.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { isResponse, type Reply, toReply } from '../http/reply.ts'
import type { RequestContext } from '../context/context.ts'
import { toApiError } from '../http/error-response.ts'
import { findPromise } from './find-promise.ts'
import { parseIdempotencyKey } from '../idempotency/idempotency-key.ts'
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

/** One way to be reached: a route's name, and what answers there. */
export interface Endpoint {
  readonly route: string
  readonly method: string
  readonly path: string
  /** `system`: an endpoint of the app itself, such as `/healthz`, without rate limits and log. */
  readonly kind: 'agent' | 'route' | 'resource' | 'system'
  readonly definition: Definition
  /** What it does to which resource; only where its kind is `resource`. */
  readonly resource?: ResourceFacet
  /** Has its path no parameters? */
  readonly isStatic: boolean
  /** Where it is defined. */
  readonly at?: SourceLocation | undefined
  run(ctx: RequestContext, tools: EndpointTools): MaybePromise<EndpointResult>
}

/** The result of an endpoint: a reply, or an error to reply with. It may be thrown too, but to return it is faster. */
export type EndpointResult = Reply | ApiError

type Definition = Agent | AnyRouteDefinition

/** One that callers know of. */
export type PublicEndpoint = Endpoint & { readonly kind: 'agent' | 'route' | 'resource' }

/** Tools that all endpoints share. */
export interface EndpointTools {
  readonly limits: Required<RequestLimits>
  readonly idempotency: Idempotency
  /** Looks for mistakes in answers, and logs them. */
  readonly isDevelopment: boolean
}

/** Where an agent is reached. */
export function agentEndpoint(agent: Agent): PublicEndpoint {
  if (!isAgent(agent)) throw new TypeError('agents takes what createAgent returned; is the default export missing?')
  return createEndpoint({
    kind: 'agent',
    method: 'POST',
    path: `/agent/${agent.name}`,
    definition: agent,
    at: agent.at,
  })
}

/** An endpoint of the app itself, such as `/healthz`. */
export function systemEndpoint(path: string, run: () => MaybePromise<Reply>): Endpoint {
  const definition = { handler: run }
  return { route: `GET ${path}`, method: 'GET', path, kind: 'system', definition, isStatic: true, run }
}

/** Where a route of a router is reached; one endpoint a method. */
export function routeEndpoint({ methods, path, definition, at }: RouterEntry & { kind: 'route' }): PublicEndpoint[] {
  return methods.map((method) => createEndpoint({ kind: 'route', method, path, definition, at }))
}

function createEndpoint(named: Pick<PublicEndpoint, 'kind' | 'method' | 'path' | 'definition' | 'at'>): PublicEndpoint {
  const { method, path } = named
  return { ...named, route: `${method} ${path}`, isStatic: !/[:*]/.test(path), run: createEndpointRun(named) }
}

/** Runs an agent inside this process: checks what goes in and what comes out, and gives the value or the chunks. */
export async function runAgent(agent: Agent, input: unknown, ctx: RequestContext): Promise<unknown> {
  const checked = agent.input === undefined ? input : await validateInput(agent.input, input)
  const result: unknown = await agent.handler(ctx as never, checked as never)
  return typeof result === 'object' && result !== null && isChunks(result)
    ? validateChunks(agent, result)
    : validateOutput(agent, result)
}

async function validateInput(schema: Schema, sent: unknown): Promise<unknown> {
  const checked = await validateOrThrow(schema, sent, 'body')
  const unknown = unknownFields(schema, { sent, checked, source: 'body' })
  if (unknown.length > 0) throw validationError(unknown)
  return checked
}

/** The order of checks: what the caller accepts, the body's type and size, the path and the query, the JSON. */
function createEndpointRun({ definition, at }: Pick<PublicEndpoint, 'definition' | 'at'>): Endpoint['run'] {
  const { input, limits } = definition
  return (ctx, tools) => {
    assertAcceptable(definition, ctx.incoming.header('accept'))
    return andThen(readBody(definition, ctx.incoming, tools.limits.body), (text) => {
      if (text !== undefined) ctx.incoming.observer?.onBody(text)
      return andThen(validateParameters(definition, ctx), () => {
        const bounds = toJsonBounds(input && inputSchemaOf(input), tools.limits, limits)
        const body = text === undefined || text === '' ? undefined : parseJson(text, bounds)
        const asked = { ctx, body, isRead: text !== undefined }
        return answerIdempotently(tools.isDevelopment ? watchResults(definition, at) : definition, asked, tools)
      })
    })
  }
}

/** Adds a warning for answers with a promise, which lacks an await. */
function watchResults<D extends Definition>(definition: D, at: SourceLocation | undefined): D {
  const handler = async (ctx: never, input: never): Promise<unknown> => {
    const result: unknown = await definition.handler(ctx, input)
    const path = isPlainAnswer(result) ? findPromise(result) : null
    const { log, route } = ctx as RequestContext
    if (path !== null) log.warn(`the answer of ${route}${describeLocation({ at })} has a Promise in ${path}: await it`)
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
  throw httpError('NOT_ACCEPTABLE', `answers are ${types}: let Accept allow one of them`)
}

/** The text of a JSON body; undefined where there is none to read, or where its handler reads it by itself. */
function readBody(definition: Definition, call: ServerRequest, limit: number): string | undefined | Promise<string> {
  if (BODILESS_METHODS.has(call.method) || ('raw' in definition && definition.raw === true)) return undefined
  const isOurs = isAgent(definition) || definition.input !== undefined || isJson(call)
  return isOurs ? readJsonText(call, limit) : undefined
}

/** Checks the path's and the query's parameters, where the route says how; all their faults are one 400. */
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

interface HandlerCall {
  readonly ctx: RequestContext
  /** Undefined: nothing was sent, or the handler reads it itself. */
  readonly body: unknown
  readonly isRead: boolean
}

/** Answers a call. Under an `Idempotency-Key` that was used before, gives the answer from then. */
function answerIdempotently(
  definition: Definition,
  asked: HandlerCall,
  tools: EndpointTools,
): MaybePromise<EndpointResult> {
  const { incoming, path, search, rateLimitKey } = asked.ctx
  const key = incoming.method === 'POST' ? parseIdempotencyKey(incoming.header('idempotency-key')) : null
  // A body that we did not read cannot be compared.
  if (key === null || !asked.isRead || isSignIn(definition)) return answerRequest(definition, asked)
  const body = search === '' ? asked.body : { search, body: asked.body }
  const { signal } = incoming
  const request = { principal: principalOf(asked.ctx), owner: rateLimitKey, method: 'POST', path, key, body, signal }
  return tools.idempotency.run(request, () => andThen(answerRequest(definition, asked), orThrow))
}

/** Is it a route to sign in? Its answers carry secrets, so that none is stored under an `Idempotency-Key`. */
function isSignIn(definition: Definition): boolean {
  return 'rateLimit' in definition && definition.rateLimit === 'auth'
}

/**
 * To whom an `Idempotency-Key` belongs. A caller who has not signed in may have shown other credentials to a
 * middleware, so they count too; all of it is stored as a hash.
 */
export function principalOf({ auth, rateLimitKey, incoming }: RequestContext): string {
  if (auth !== null) return `user ${auth.session.userId}`
  return JSON.stringify([rateLimitKey, incoming.header('authorization'), incoming.header('cookie')])
}

/** For those who expect errors to be thrown. */
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
  // A thenable, such as a query builder, becomes a real promise.
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
      // The chunks of a HEAD are never read.
      signal: ctx.incoming.method === 'HEAD' ? null : () => ctx.signal,
    }),
  )
}

/** An answer that does not fit its own schema is our fault, not the caller's. */
async function validateOutput({ output }: Pick<AnyRouteDefinition, 'output'>, value: unknown): Promise<unknown> {
  if (output === undefined) return value
  try {
    return await validateOrThrow(output, value, 'body')
  } catch (cause) {
    throw new Error('the handler answered what its output schema refuses', { cause })
  }
}

async function* validateChunks(agent: Agent, chunks: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator {
  for await (const chunk of chunks) yield await validateOutput(agent, chunk)
}
