import { isAgent, type Agent } from './agent.ts'
import { check, isJson, readJson } from './body.ts'
import type { Reply } from './call.ts'
import type { CallContext } from './context.ts'
import { toApiError } from './error-response.ts'
import { isChunks, toReply } from './reply.ts'
import type { AnyRoute, RouterEntry } from './router.ts'

/** One way to be reached: a route's name, and what answers there. */
export interface Endpoint {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly kind: 'agent' | 'route'
  readonly description: string | undefined
  run(ctx: CallContext): Promise<Reply>
}

/** What comes with these methods is not read. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/** Where an agent is reached. */
export function agentEndpoint(agent: Agent): Endpoint {
  if (!isAgent(agent)) throw new TypeError('agents takes what createAgent returned; is the default export missing?')
  const route = `POST /agent/${agent.name}`
  return {
    route,
    method: 'POST',
    path: `/agent/${agent.name}`,
    kind: 'agent',
    description: agent.description,
    run: async (ctx) => answer(agent, ctx, await checkInput(agent, await readJson(ctx.source))),
  }
}

/** Where a route of a router is reached; one endpoint a method. */
export function routeEndpoint(entry: RouterEntry & { kind: 'route' }): Endpoint[] {
  const { path, definition } = entry
  return entry.methods.map((method) => ({
    route: `${method} ${path}`,
    method,
    path,
    kind: 'route' as const,
    description: definition.description,
    run: (ctx) => runRoute(definition, ctx),
  }))
}

/** Runs an agent inside this process: checks what goes in and what comes out, and gives the value or the chunks. */
export async function runAgent(agent: Agent, input: unknown, ctx: CallContext): Promise<unknown> {
  const result: unknown = await agent.handler(ctx as never, (await checkInput(agent, input)) as never)
  return isChunks(result) ? checkChunks(agent, result) : checkOutput(agent, result)
}

async function runRoute(definition: AnyRoute, ctx: CallContext): Promise<Reply> {
  if (definition.params !== undefined) ctx.params = await check(definition.params, ctx.params, 'path')
  if (definition.query !== undefined) ctx.query = await check(definition.query, ctx.query, 'query')
  return answer(definition, ctx, await readInput(definition, ctx))
}

/** A route without an `input` schema may take other media types: it reads them from `ctx.request`. */
async function readInput(definition: AnyRoute, ctx: CallContext): Promise<unknown> {
  if (BODILESS.has(ctx.source.method)) return undefined
  if (definition.input !== undefined) return checkInput(definition, await readJson(ctx.source))
  return isJson(ctx.source.header('content-type')) ? readJson(ctx.source) : undefined
}

async function answer(
  definition: Pick<AnyRoute, 'handler' | 'output'>,
  ctx: CallContext,
  input: unknown,
): Promise<Reply> {
  const result: unknown = await definition.handler(ctx as never, input as never)
  return toReply(result, {
    accept: ctx.source.header('accept'),
    check: (value) => checkOutput(definition, value),
    toError: (thrown) => toApiError(thrown, () => ctx.log),
  })
}

async function checkInput(definition: Pick<AnyRoute, 'input'>, value: unknown): Promise<unknown> {
  return definition.input === undefined ? value : check(definition.input, value, 'body')
}

/** An answer that fits not its own schema is our fault, not the caller's. */
async function checkOutput(definition: Pick<AnyRoute, 'output'>, value: unknown): Promise<unknown> {
  if (definition.output === undefined) return value
  try {
    return await check(definition.output, value, 'body')
  } catch (cause) {
    throw new Error('the handler answered what its output schema refuses', { cause })
  }
}

async function* checkChunks(agent: Agent, chunks: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const chunk of chunks) yield await checkOutput(agent, chunk)
}
