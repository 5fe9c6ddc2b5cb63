import { codeOfStatus, type ApiError, type ErrorCode } from '@sdk/protocol'
import { RequestContext } from '../context/context.ts'
import type { Store } from '../define/store.ts'
import { orThrow, type Endpoint, type EndpointTools } from '../endpoint/endpoint.ts'
import type { LiveSource, LiveView } from '../endpoint/live-source.ts'
import { runMiddleware } from '../endpoint/middleware-chain.ts'
import type { RouteMatch } from '../endpoint/route-match.ts'
import type { RateLimitKeys, RateLimiter } from '../guard/rate-limit.ts'
import type { Guards } from '../guard/socket-admission.ts'
import { httpError } from '../http/http-error.ts'
import { isReplyStream, type Reply } from '../http/reply.ts'
import { endChunks, openChunks } from '../http/reply-stream.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { parseTarget } from '../http/url.ts'
import { andThen } from '../platform/and-then.ts'
import { toHash } from '../resource/hash.ts'

/** The parts of the app that live data uses. */
export interface LiveHost extends Pick<Guards, 'services' | 'limiter' | 'toRateLimitKeys'> {
  readonly tools: EndpointTools
  /** Returns the endpoint for a method and path, with its middleware, or null if no route matches. */
  find(method: string, path: string): RouteMatch | null
  /** All endpoints of the app. */
  readonly endpoints: readonly Endpoint[]
}

/** The source of a subscription's data. */
export interface OpenedSource {
  readonly source: LiveSource
  readonly route: string
  /** The stores that the checks of the request depend on. */
  readonly accessStores: ReadonlySet<Store>
  /** The tags that the request reads. */
  readonly tags: ReadonlySet<string>
}

/**
 * Runs the checks of a `GET` request in the same order as the request handler does: route, rate limit, middleware, and
 * the access rule. Returns the source of its data, or throws the error that the request would respond with.
 */
export async function openSource(host: LiveHost, incoming: ServerRequest, isNew: boolean): Promise<OpenedSource> {
  const { tools, limiter, services } = host
  if (incoming.target.length > tools.limits.target)
    throw httpError('URI_TOO_LONG', `the URL must have at most ${tools.limits.target} characters`)
  const { path, search } = parseTarget(incoming.target)
  const route = host.find('GET', path)
  if (route === null || route.endpoint.kind === 'system') throw httpError('NOT_FOUND', `no route matches ${path}`)
  const { endpoint, params } = route
  const auth = incoming.auth === undefined ? null : incoming.auth
  const keys = host.toRateLimitKeys(incoming, auth)
  if (isNew) await assertWithinRate(limiter, { endpoint, path, keys })
  const { rateLimitKey, address } = keys
  const tags = new Set<string>()
  const createContext = (): RequestContext => {
    const ctx = new RequestContext(incoming, endpoint.route, services)
    const values = { auth, path, search, rateLimitKey, address, tags, params: { ...params } }
    return Object.assign(ctx, values, { requestId: requestIdOf(incoming) })
  }
  const request = { host, route, createContext, tags }
  return endpoint.live === undefined ? openRoute(request) : openRows(request, endpoint.live)
}

interface OpenRequest {
  readonly host: LiveHost
  readonly route: RouteMatch
  readonly tags: Set<string>
  createContext(): RequestContext
}

async function assertWithinRate(
  limiter: RateLimiter,
  { endpoint, path, keys }: { endpoint: Endpoint; path: string; keys: RateLimitKeys },
): Promise<void> {
  const set = limiter.policiesOf(endpoint, path)
  const { error } = set === null ? { error: null } : await limiter.take(set, keys)
  if (error !== null) throw error
}

/** Opens the data of a resource. The tables that its checks read are recorded, if the store can do this. */
async function openRows(
  { host, route: { endpoint, middleware }, tags, createContext }: OpenRequest,
  live: NonNullable<Endpoint['live']>,
): Promise<OpenedSource> {
  const ctx = createContext()
  const work = async (): Promise<LiveSource> => {
    let source: LiveSource | undefined
    const admitted: Reply = { status: 200, headers: {}, body: null }
    const reply = await runMiddleware(ctx, middleware, async () => {
      source = await live(ctx, host.tools)
      return admitted
    })
    if (reply !== admitted || source === undefined)
      throw toReplyError(reply, `${endpoint.route} is not live: a middleware replaces its response`)
    return source
  }
  const store = endpoint.resource?.resource.store
  const { value: source, tables } = (await store?.recordTables?.(work)) ?? { value: await work(), tables: [] }
  const stores = host.endpoints.flatMap(({ resource }) => resource?.resource.store ?? [])
  const recorded = stores.filter(({ table }) => table !== undefined && tables.includes(table))
  return { source, tags, route: endpoint.route, accessStores: new Set([...source.accessStores, ...recorded]) }
}

/** Opens the result of a route, which must call `ctx.reads`. Each read runs all checks and the handler. */
function openRoute({ host, route: { endpoint, middleware }, tags, createContext }: OpenRequest): OpenedSource {
  const read = async (): Promise<LiveView> => {
    const run = async (ctx: RequestContext): Promise<Reply> => andThen(endpoint.run(ctx, host.tools), orThrow)
    const ctx = createContext()
    const reply = await runMiddleware(ctx, middleware, () => run(ctx))
    if (isReplyStream(reply.body)) await endChunks(openChunks(reply.body), reply.body)
    if (reply.status >= 300 || typeof reply.body !== 'string' || tags.size === 0)
      throw toReplyError(reply, `${endpoint.route} is not live: it must call ctx.reads('…') and return a JSON value`)
    return toValueView(reply.body, toHash(reply.body))
  }
  const none = { isShared: false, where: null, resources: [], accessStores: [], interval: 0 }
  const source = { ...none, key: endpoint.route, read }
  return { source, tags, route: endpoint.route, accessStores: new Set() }
}

/** Creates the view of a value that may depend on any change of its tags. */
function toValueView(text: string, tag: string): LiveView {
  return { items: null, text, tag, size: text.length, isAffected: () => true, slim: () => toValueView('', tag) }
}

/** Returns the error in a reply, or the error for a reply that cannot be live. */
function toReplyError({ status, error }: Reply, reason: string): ApiError {
  if (error !== undefined) return error
  if (status < 400) return httpError('NOT_LIVE', reason)
  return httpError(codeOfStatus(status) as ErrorCode, 'access denied', { status })
}
