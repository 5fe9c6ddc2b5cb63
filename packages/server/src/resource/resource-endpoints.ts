import type { ResourceAction } from '../define/resource-definition.ts'
import { isApiError, type ErrorDetail } from '@sdk/protocol'
import { validationError, httpError } from '../http/http-error.ts'
import { accepts, namesMediaType } from '../http/accept.ts'
import { BODILESS_METHODS, readJsonText } from '../http/body.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Reply } from '../http/reply.ts'
import type { RequestContext } from '../context/context.ts'
import type { EndpointTools, PublicEndpoint } from '../endpoint/endpoint.ts'
import { parseJson } from '../http/json.ts'
import { toJsonBounds } from '../schema/json-bounds.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import { parseQuery } from '../http/url.ts'
import type { RouterEntry } from '../define/router.ts'
import { requireAccess } from './access.ts'
import { replaceRow, updateRow } from './update.ts'
import { createRow } from './create.ts'
import { toGoneError, withLifetime } from '../define/lifetime.ts'
import { unknownParameter } from '../schema/unknown-fields.ts'
import { createResourceRuntime, type ResourceRequest, type ResourceRuntime } from './resource-runtime.ts'
import { getRow, listRows, rowNotFound } from './read.ts'
import { deleteRow } from './delete.ts'
import type { Store, StoreWith } from '../define/store.ts'

type ResourceEntry = RouterEntry & { kind: 'resource' }

type RunRoute = (runtime: ResourceRuntime, call: ResourceRequest) => Promise<Reply>

interface ResourceRoute {
  readonly action: ResourceAction
  readonly method: string
  /** The route's function, or null if the store does not support the action. The route is then not added. */
  readonly run: RunRoute | null
}

/** Creates a resource's endpoints for the actions that its store supports. */
export function resourceEndpoints(entry: ResourceEntry): PublicEndpoint[] {
  const { resource, path, lifetime, at } = entry
  const runtime = createResourceRuntime(resource, path)
  const { description } = resource.definition
  return toResourceRoutes(resource.store).flatMap(({ action, method, run }) => {
    if (run === null) return []
    const isItem = action !== 'list' && action !== 'create'
    const routePath = isItem ? `${path}/:id` : path
    return {
      route: `${method} ${routePath}`,
      method,
      path: routePath,
      kind: 'resource' as const,
      definition: { description, handler: () => undefined },
      resource: { resource, action, lifetime },
      isStatic: !isItem,
      at,
      run: createResourceRun({ action, run, runtime, isItem, hasBody: !BODILESS_METHODS.has(method) }, lifetime),
    }
  })
}

function toResourceRoutes(store: Store): ResourceRoute[] {
  const changeable = can(store, 'get') && can(store, 'replace') ? store : null
  return [
    { action: 'list', method: 'GET', run: can(store, 'list') ? listRows.bind(null, store) : null },
    { action: 'create', method: 'POST', run: can(store, 'create') ? createRow.bind(null, store) : null },
    { action: 'get', method: 'GET', run: can(store, 'get') ? getRow.bind(null, store) : null },
    { action: 'replace', method: 'PUT', run: changeable && replaceRow.bind(null, changeable) },
    { action: 'update', method: 'PATCH', run: changeable && updateRow.bind(null, changeable) },
    { action: 'delete', method: 'DELETE', run: can(store, 'delete') ? deleteRow.bind(null, store) : null },
  ]
}

function can<Name extends keyof Store>(store: Store, name: Name): store is StoreWith<Name> {
  return store[name] !== undefined
}

interface RoutePlan {
  readonly action: ResourceAction
  readonly run: RunRoute
  readonly runtime: ResourceRuntime
  readonly isItem: boolean
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

async function runRoute(plan: RoutePlan, ctx: RequestContext, tools: EndpointTools): Promise<Reply> {
  const { action, run, runtime, isItem, hasBody } = plan
  // Await only promises, because each `await` costs a microtask.
  const rule = requireAccess(runtime.resource.definition, action, ctx)
  const where = rule instanceof Promise ? await rule : rule
  assertAcceptsJson(ctx.incoming)
  const read = hasBody ? readJsonText(ctx.incoming, tools.limits.body) : ''
  const text = read instanceof Promise ? await read : read
  ctx.query = parseQuery(ctx.search)
  if (action !== 'list') ctx.params = parsePathAndQuery(ctx, isItem)
  const bounds = toJsonBounds(runtime.resource.fieldSchema.input, tools.limits)
  const body = text === '' ? undefined : parseJson(text, bounds)
  return run(runtime, { ctx, tools, where, body })
}

function assertAcceptsJson(call: ServerRequest): void {
  const accept = call.header('accept')
  if (accepts(accept, [MEDIA_TYPE.json]) || namesMediaType(accept, MEDIA_TYPE.problem)) return
  throw httpError('NOT_ACCEPTABLE', `none of the accepted media types is supported; available: ${MEDIA_TYPE.json}`)
}

/** Parses the id in the path and rejects all query parameters. Throws a single 400 error that lists all issues. */
function parsePathAndQuery({ params, query }: RequestContext, isItem: boolean): { id: number } {
  const text = isItem ? (params as { id: string }).id : '1'
  const issues: ErrorDetail[] = Object.keys(query as object).map((name) => unknownParameter(name, []))
  const message = 'must be a positive integer'
  if (!/^[1-9]\d*$/.test(text)) issues.unshift({ code: 'INVALID_FORMAT', message, source: 'path', name: 'id' })
  if (issues.length > 0) throw validationError(issues)
  const id = Number(text)
  return { id: Number.isSafeInteger(id) ? id : rowNotFound() }
}
