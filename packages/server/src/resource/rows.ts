import type { ResourceRef, RowCondition } from '../context/rows.ts'
import type { ResourceAction } from '../define/resource-definition.ts'
import type { ContextServices } from '../context/context.ts'
import { orThrow, type EndpointTools, type PublicEndpoint } from '../endpoint/endpoint.ts'
import { toNestedRequest } from '../endpoint/nested-request.ts'
import type { RunNested } from '../endpoint/nested-run.ts'
import type { Resource } from '../define/resource.ts'
import { changed } from './etag.ts'
import type { Scalar } from '../define/store.ts'
import { isSameJson } from './values.ts'

interface RowsDependencies {
  readonly endpoints: readonly PublicEndpoint[]
  readonly tools: EndpointTools
  readonly runNested: RunNested
}

/** The id of a row, or the fields of its key. */
type RowName = number | Readonly<Record<string, Scalar>>

interface RowsRequest {
  readonly action: ResourceAction
  readonly row?: RowName
  readonly query?: unknown
  readonly input?: unknown
  readonly ifMatch?: string | null | undefined
}

/** Creates `ctx.rows` for the resources of these endpoints. */
export function createRowsOf({ endpoints, tools, runNested }: RowsDependencies): ContextServices['rows'] {
  const routes = groupByResource(endpoints)
  return (resource, caller) => {
    const found = routes.get(resource)
    if (found === undefined)
      throw new TypeError(
        `ctx.rows(${resource.name}): ${resource.name} is not mounted; add .resource('v1', ${resource.name})`,
      )
    const run = async (request: RowsRequest): Promise<{ value: never; etag: string }> => {
      const endpoint = findEndpoint(found, request)
      const { route, method, path: target } = endpoint
      const { input, ifMatch } = request
      const condition = typeof ifMatch === 'string' ? { 'if-match': ifMatch } : {}
      const incoming = toNestedRequest(caller.incoming, { method, target, input, headers: condition })
      let etag = ''
      const value = await runNested({ route, input, caller, incoming }, async (ctx) => {
        ctx.params = toParams(request.row)
        ctx.search = toSearch(request.query)
        const { body, headers } = orThrow(await endpoint.run(ctx, tools))
        etag = String(headers['etag'])
        return JSON.parse(body as string) as unknown
      })
      return { value: value as never, etag }
    }
    const ask = async (request: RowsRequest): Promise<never> => (await run(request)).value
    const change = async (request: RowsRequest & { row: RowName }, { ifMatch }: RowCondition = {}): Promise<never> => {
      // The handler has a bug that the caller cannot fix, so the response is not a 428.
      if (ifMatch === undefined && found.resource.definition.ifMatch === 'required')
        throw new TypeError(`${resource.name} requires ifMatch: pass the row that you read, as in { ifMatch: row }`)
      if (typeof ifMatch !== 'object' || ifMatch === null)
        return ask({ ...request, ifMatch: ifMatch as string | null | undefined })
      const { value, etag } = await run({ action: 'get', row: request.row })
      // The row may have been read with relations, which are not part of its state.
      if (!isSameJson(value, pickMembers(ifMatch, Object.keys(value)))) throw changed(etag)
      return ask({ ...request, ifMatch: etag })
    }
    return {
      list: (query) => ask({ action: 'list', query }),
      get: (row, query) => ask({ action: 'get', row: row as RowName, query }),
      create: (input) => ask({ action: 'create', input }),
      replace: (row: unknown, input: unknown, condition?: RowCondition) =>
        change({ action: 'replace', row: row as RowName, input }, condition),
      update: (row, input, condition) => change({ action: 'update', row: row as RowName, input }, condition),
      delete: (row, condition) => change({ action: 'delete', row: row as RowName }, condition),
    }
  }
}

function pickMembers(from: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
}

function findEndpoint({ resource, byAction, byKey }: RoutesByAction, { action, row }: RowsRequest): PublicEndpoint {
  const isKey = typeof row === 'object'
  const endpoint = (isKey ? byKey : byAction).get(action)
  if (endpoint !== undefined) return endpoint
  if (isKey && resource.definition.key === undefined)
    throw new TypeError(`${resource.name} has no key: pass the id of the row, or add key to the resource`)
  throw new TypeError(`the store for ${resource.name} does not support ${action}`)
}

function toParams(row: RowName | undefined): Record<string, string> {
  const fields = typeof row === 'object' ? row : row === undefined ? {} : { id: row }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}

interface RoutesByAction {
  readonly resource: Resource
  readonly byAction: Map<ResourceAction, PublicEndpoint>
  /** The resource's key routes. */
  readonly byKey: Map<ResourceAction, PublicEndpoint>
}

/** Groups endpoints by resource. If a resource has several versions, prefers one that is not deprecated. */
function groupByResource(endpoints: readonly PublicEndpoint[]): ReadonlyMap<ResourceRef, RoutesByAction> {
  const routes = new Map<ResourceRef, RoutesByAction>()
  for (const endpoint of endpoints) {
    if (endpoint.resource === undefined) continue
    const { resource, action, key, lifetime } = endpoint.resource
    const found: RoutesByAction = routes.get(resource) ?? { resource, byAction: new Map(), byKey: new Map() }
    const actions = key === null ? found.byAction : found.byKey
    if (lifetime === null || !actions.has(action)) actions.set(action, endpoint)
    routes.set(resource, found)
    // Handlers may pass the resource without relations even if it is mounted with relations.
    if (resource.base !== undefined && !routes.has(resource.base)) routes.set(resource.base, found)
  }
  return routes
}

function toSearch(query: unknown): string {
  const said = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  return new URLSearchParams(said.map(([name, value]): [string, string] => [name, String(value as Scalar)])).toString()
}
