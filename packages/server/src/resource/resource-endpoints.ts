import type { ResourceAction } from '../define/resource-definition.ts'
import { isApiError, type ErrorDetail } from '@sdk/protocol'
import { validationError, httpError } from '../http/http-error.ts'
import { accepts, namesMediaType } from '../http/accept.ts'
import { BODILESS_METHODS, readJsonText } from '../http/body.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Reply } from '../http/reply.ts'
import type { RequestContext } from '../context/context.ts'
import type { EndpointTools, PublicEndpoint } from '../endpoint/endpoint.ts'
import type { LiveSource } from '../endpoint/live-source.ts'
import { toKeyedRequest } from '../endpoint/keyed-request.ts'
import { parseJson } from '../http/json.ts'
import { toJsonBounds } from '../schema/json-bounds.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import { parseQuery } from '../http/url.ts'
import type { RouterEntry } from '../define/router.ts'
import type { Resource } from '../define/resource.ts'
import { toResourceKey, type ResourceKey } from '../define/resource-key.ts'
import { requireAccess } from './access.ts'
import { replaceRow, updateRow } from './update.ts'
import { createRow } from './create.ts'
import { toGoneError, withLifetime } from '../define/lifetime.ts'
import { runKeyed } from './write-once.ts'
import { unknownParameter } from '../schema/unknown-fields.ts'
import type { References } from './references.ts'
import { createResourceRuntime, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import { openLiveList, openLiveRow } from './live/live-rows.ts'
import { getRow, listRows, rowNotFound } from './read.ts'
import { deleteRow } from './delete.ts'
import { putByKey, runByKey } from './key-routes.ts'
import type { Store, StoreWith } from '../define/store.ts'

type ResourceEntry = RouterEntry & { kind: 'resource' }

type RunRoute<Result = Reply> = (runtime: ResourceRuntime, call: ResourceRequest) => Promise<Result>

interface ResourceRoute {
  readonly action: ResourceAction
  readonly method: string
  /** The key in the path, or null if the path does not contain a key. */
  readonly key: ResourceKey | null
  /** The route's function, or null if the store does not support the action. The route is then not added. */
  readonly run: RunRoute | null
  /** The function that opens the data for live subscriptions. */
  readonly live?: RunRoute<LiveSource>
}

/** Creates a resource's endpoints for the actions that its store supports. */
export function resourceEndpoints(entry: ResourceEntry, references?: References): PublicEndpoint[] {
  const { resource, path, lifetime, at } = entry
  const runtime = createResourceRuntime(resource, path, references)
  const { description } = resource.definition
  return toResourceRoutes(resource).flatMap(({ action, method, key, run, live }) => {
    if (run === null) return []
    const isItem = action !== 'list' && action !== 'create'
    const routePath = key === null ? (isItem ? `${path}/:id` : path) : path + key.path
    const plan = { action, runtime, hasId: isItem && key === null, hasBody: !BODILESS_METHODS.has(method) }
    return {
      route: `${method} ${routePath}`,
      method,
      path: routePath,
      kind: 'resource' as const,
      definition: { description, handler: () => undefined },
      resource: { resource, action, key, lifetime },
      isStatic: !routePath.includes(':'),
      at,
      run: createResourceRun({ ...plan, run: withKey(run) }, lifetime),
      ...(live && { live: createLiveRun({ ...plan, run: live }, lifetime) }),
    }
  })
}

/** Returns the six routes of a resource, and the routes of its key. */
function toResourceRoutes({ store, definition, shape }: Resource): ResourceRoute[] {
  const changeable = can(store, 'get') && can(store, 'replace') ? store : null
  const routes: Omit<ResourceRoute, 'key'>[] = [
    { action: 'list', method: 'GET', ...(can(store, 'list') ? readsList(store) : { run: null }) },
    { action: 'create', method: 'POST', run: can(store, 'create') ? createRow.bind(null, store) : null },
    { action: 'get', method: 'GET', ...(can(store, 'get') ? readsRow(store) : { run: null }) },
    { action: 'replace', method: 'PUT', run: changeable && replaceRow.bind(null, changeable) },
    { action: 'update', method: 'PATCH', run: changeable && updateRow.bind(null, changeable) },
    { action: 'delete', method: 'DELETE', run: can(store, 'delete') ? deleteRow.bind(null, store) : null },
  ]
  const key = toResourceKey(definition, shape.fields)
  const byKey = key === null || !can(store, 'list') ? [] : toKeyRoutes(store, key, routes.slice(2))
  return [...routes.map((route) => ({ ...route, key: null })), ...byKey]
}

type ReadFunctions = Pick<ResourceRoute, 'run' | 'live'>

function readsList(store: StoreWith<'list'>): ReadFunctions {
  return { run: listRows.bind(null, store), live: openLiveList.bind(null, store) }
}

function readsRow(store: StoreWith<'get'>): ReadFunctions {
  return { run: getRow.bind(null, store), live: openLiveRow.bind(null, store) }
}

function toKeyRoutes(
  store: StoreWith<'list'>,
  key: ResourceKey,
  routes: readonly Omit<ResourceRoute, 'key'>[],
): ResourceRoute[] {
  return routes.map(({ action, method, run, live }) => {
    if (run === null || (action === 'replace' && !can(store, 'create'))) return { action, method, key, run: null }
    const runKey: RunRoute = (runtime, call) => {
      const runWithId = (withId: ResourceRequest): Promise<Reply> => run(runtime, withId)
      const request = { runtime, key, call, runWithId }
      return action === 'replace' && can(store, 'create')
        ? putByKey({ ...request, store })
        : runByKey({ ...request, store })
    }
    const openKey: RunRoute<LiveSource> | undefined =
      live && ((runtime, call) => runByKey({ store, runtime, key, call, runWithId: (withId) => live(runtime, withId) }))
    return { action, method, key, run: runKey, ...(openKey && { live: openKey }) }
  })
}

function can<Name extends keyof Store>(store: Store, name: Name): store is StoreWith<Name> {
  return store[name] !== undefined
}

interface RoutePlan<Result = Reply> {
  readonly action: ResourceAction
  readonly run: RunRoute<Result>
  readonly runtime: ResourceRuntime
  /** Whether the path has an id. */
  readonly hasId: boolean
  readonly hasBody: boolean
}

/** Creates a route's handler. It checks, in order: sunset, access, `Accept`, body type and size, URL, and JSON. */
function createResourceRun(plan: RoutePlan, lifetime: ResourceEntry['lifetime']): PublicEndpoint['run'] {
  if (lifetime === null) return (ctx, tools) => runRoute(plan, ctx, tools)
  return async (ctx, tools) => {
    const end = toGoneError(lifetime, Date.now())
    if (end !== null) return end
    try {
      return withLifetime(await runRoute(plan, ctx, tools), lifetime)
    } catch (thrown) {
      throw isApiError(thrown) ? withLifetime(thrown, lifetime) : thrown
    }
  }
}

function createLiveRun(
  plan: RoutePlan<LiveSource>,
  lifetime: ResourceEntry['lifetime'],
): NonNullable<PublicEndpoint['live']> {
  return async (ctx, tools) => {
    const end = lifetime === null ? null : toGoneError(lifetime, Date.now())
    if (end !== null) throw end
    return runRoute(plan, ctx, tools)
  }
}

async function runRoute<Result>(plan: RoutePlan<Result>, ctx: RequestContext, tools: EndpointTools): Promise<Result> {
  const { action, run, runtime, hasId, hasBody } = plan
  // Await only promises, because each `await` costs a microtask.
  const rule = requireAccess(runtime.resource.definition, action, ctx)
  const where = rule instanceof Promise ? await rule : rule
  assertAcceptsJson(ctx.incoming)
  const read = hasBody ? readJsonText(ctx.incoming, tools.limits.body) : ''
  const text = read instanceof Promise ? await read : read
  ctx.query = parseQuery(ctx.search)
  const known = action === 'get' && runtime.expandable.length > 0 ? ['expand'] : []
  if (action !== 'list') assertPathAndQuery(ctx, hasId, known)
  if (hasId) ctx.params = { id: parseId(ctx) }
  const bounds = toJsonBounds(runtime.resource.fieldSchema.input, tools.limits)
  const body = text === '' ? undefined : parseJson(text, bounds)
  return run(runtime, { ctx, tools, where, body, keyed: toKeyedRequest(ctx, body) })
}

/** Runs a route once for each `Idempotency-Key`. */
function withKey(run: RunRoute): RunRoute {
  return (runtime, call) => (call.keyed === null ? run(runtime, call) : runKeyed(runtime, call, run))
}

function assertAcceptsJson(call: ServerRequest): void {
  const accept = call.header('accept')
  if (accepts(accept, [MEDIA_TYPE.json]) || namesMediaType(accept, MEDIA_TYPE.problem)) return
  throw httpError('NOT_ACCEPTABLE', `none of the accepted media types is supported; available: ${MEDIA_TYPE.json}`)
}

/** Throws a single 400 error for unknown query parameters and an invalid id. */
function assertPathAndQuery({ params, query }: RequestContext, hasId: boolean, known: readonly string[]): void {
  const unknown = Object.keys(query as object).filter((name) => !known.includes(name))
  const issues: ErrorDetail[] = unknown.map((name) => unknownParameter(name, known))
  const message = 'must be a positive integer'
  if (hasId && !/^[1-9]\d*$/.test((params as { id: string }).id))
    issues.unshift({ code: 'INVALID_FORMAT', message, source: 'path', name: 'id' })
  if (issues.length > 0) throw validationError(issues)
}

function parseId({ params }: RequestContext): number {
  const id = Number((params as { id: string }).id)
  return Number.isSafeInteger(id) ? id : rowNotFound()
}
