import { CONTENT_TYPE } from '@sdk/protocol'
import { andThen } from './and-then.ts'
import { isAgent, type Agent } from '../agent.ts'
import { accepts } from './accept.ts'
import { check, isJson, readJson } from './body.ts'
import type { Reply } from './call.ts'
import type { CallContext } from '../context.ts'
import { toApiError } from './error-response.ts'
import { parseIdempotencyKey } from '../idempotency/idempotency-key.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { refuse } from './refusal.ts'
import { isChunks, toReply } from './reply.ts'
import type { AnyRoute, RouterEntry } from '../router.ts'

/** One way to be reached: a route's name, and what answers there. */
export interface Endpoint {
  readonly route: string
  readonly method: string
  readonly path: string
  /** `own`: for whoever watches over the app, with no limits and no log. */
  readonly kind: 'agent' | 'route' | 'own'
  readonly definition: Agent | AnyRoute
  /** Has its path no parameters? */
  readonly isStatic: boolean
  /** Where it is defined. */
  readonly at?: string | undefined
  run(ctx: CallContext, tools: EndpointTools): Reply | Promise<Reply>
}

/** One that callers know of. */
export type PublicEndpoint = Endpoint & { readonly kind: 'agent' | 'route' }

/** What endpoints answer with. */
export interface EndpointTools {
  /** Bytes that a JSON body may have. */
  readonly maxBody: number
  readonly idempotency: Idempotency
}

/** What comes with these methods is not read. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/** Where an agent is reached. */
export function agentEndpoint(agent: Agent): PublicEndpoint {
  if (!isAgent(agent)) throw new TypeError('agents takes what createAgent returned; is the default export missing?')
  return {
    route: `POST /agent/${agent.name}`,
    method: 'POST',
    path: `/agent/${agent.name}`,
    kind: 'agent',
    definition: agent,
    isStatic: true,
    at: agent.at,
    run(ctx, tools) {
      assertAcceptable(agent, ctx)
      return andThen(readJson(ctx.source, tools.maxBody), (body) => answerOnce(agent, { ctx, body }, tools))
    },
  }
}

/** Where those who watch over the app ask. */
export function ownEndpoint(path: string, run: () => Reply | Promise<Reply>): Endpoint {
  return { route: `GET ${path}`, method: 'GET', path, kind: 'own', definition: { handler: run }, isStatic: true, run }
}

/** Where a route of a router is reached; one endpoint a method. */
export function routeEndpoint(entry: RouterEntry & { kind: 'route' }): PublicEndpoint[] {
  const { path, definition } = entry
  return entry.methods.map((method) => ({
    route: `${method} ${path}`,
    method,
    path,
    kind: 'route' as const,
    definition,
    isStatic: !/[:*]/.test(path),
    at: entry.at,
    run(ctx, tools) {
      assertAcceptable(definition, ctx)
      return andThen(checkPlace(definition, ctx), () =>
        andThen(readInput(definition, ctx, tools.maxBody), (body) => answerOnce(definition, { ctx, body }, tools)),
      )
    },
  }))
}

/** Runs an agent inside this process: checks what goes in and what comes out, and gives the value or the chunks. */
export async function runAgent(agent: Agent, input: unknown, ctx: CallContext): Promise<unknown> {
  const checked = agent.input === undefined ? input : await check(agent.input, input, 'body')
  const result: unknown = await agent.handler(ctx as never, checked as never)
  return typeof result === 'object' && result !== null && isChunks(result)
    ? checkChunks(agent, result)
    : checkOutput(agent, result)
}

/** What an answer can be, whatever its handler gives. */
const TYPES = ['application/json', CONTENT_TYPE.ndjson, CONTENT_TYPE.sse]

function assertAcceptable(definition: Agent | AnyRoute, ctx: CallContext): void {
  const own = 'content' in definition && definition.content !== undefined ? [definition.content] : []
  const types = own.length === 0 ? TYPES : [...TYPES, ...own]
  if (!accepts(ctx.source.header('accept'), types))
    throw refuse('NOT_ACCEPTABLE', `answers are ${types.join(', ')}: let Accept allow one of them`)
}

/** Checks the path's and the query's parameters, where the route says how. */
function checkPlace({ params, query }: AnyRoute, ctx: CallContext): void | Promise<void> {
  const checked =
    params === undefined ? undefined : andThen(check(params, ctx.params, 'path'), (value) => void (ctx.params = value))
  if (query === undefined) return checked
  return andThen(checked, () => andThen(check(query, ctx.query, 'query'), (value) => void (ctx.query = value)))
}

/** A route without an `input` schema may take other media types: it reads them from `ctx.request`. */
function readInput({ input }: AnyRoute, ctx: CallContext, maxBody: number): unknown {
  if (BODILESS.has(ctx.source.method)) return undefined
  return input !== undefined || isJson(ctx.source.header('content-type')) ? readJson(ctx.source, maxBody) : undefined
}

interface Asked {
  readonly ctx: CallContext
  /** Undefined: nothing was sent, or the handler reads it itself. */
  readonly body: unknown
}

/** Answers; where the caller says by a key that it asks again, with what was answered then. */
function answerOnce(definition: Agent | AnyRoute, asked: Asked, tools: EndpointTools): Reply | Promise<Reply> {
  const { source, caller, path } = asked.ctx
  const key = source.method === 'POST' ? parseIdempotencyKey(source.header('idempotency-key')) : null
  // A body that we did not read cannot be compared; and what signing in answers must not lie about.
  if (key === null || asked.body === undefined) return answer(definition, asked)
  const request = { principal: caller, method: 'POST', path, key, body: asked.body, signal: source.signal }
  return tools.idempotency.run(request, () => answer(definition, asked))
}

function answer(definition: Agent | AnyRoute, { ctx, body }: Asked): Reply | Promise<Reply> {
  const { input, output, handler } = definition
  const run = (value: unknown): unknown => settled(handler(ctx as never, value as never))
  return andThen(input === undefined ? run(body) : andThen(check(input, body, 'body'), run), (result) =>
    toReply(result, {
      accept: ctx.source.header('accept'),
      content: 'content' in definition ? definition.content : undefined,
      check: output === undefined ? undefined : (value) => checkOutput(definition, value),
      toError: (thrown) => toApiError(thrown, () => ctx.log),
    }),
  )
}

/** A query builder and the like is a promise too, though not by class. */
function settled(result: unknown): unknown {
  const isThenable =
    typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function'
  return isThenable && !(result instanceof Promise) ? Promise.resolve(result) : result
}

/** An answer that does not fit its own schema is our fault, not the caller's. */
async function checkOutput({ output }: Pick<AnyRoute, 'output'>, value: unknown): Promise<unknown> {
  if (output === undefined) return value
  try {
    return await check(output, value, 'body')
  } catch (cause) {
    throw new Error('the handler answered what its output schema refuses', { cause })
  }
}

async function* checkChunks(agent: Agent, chunks: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator {
  for await (const chunk of chunks) yield await checkOutput(agent, chunk)
}
