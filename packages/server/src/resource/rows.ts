import type { Page } from '@sdk/protocol'
import type { CallContext } from '../context.ts'
import type { Call } from '../http/call.ts'
import { orThrow, type EndpointTools, type PublicEndpoint } from '../http/endpoint.ts'
import type { RunNested } from '../http/nested-run.ts'
import type { Resource, ResourceAction, ResourceTypes } from '../resource.ts'
import type { Scalar } from './store.ts'

/** The rows of a resource, as the caller of a handler may see and change them: what its six routes do, without a request. */
export interface Rows<Types extends ResourceTypes = ResourceTypes> {
  /** A page of them. */
  list(query?: Types['query']): Promise<Page<Types['item']>>
  /** One of them. */
  get(id: number): Promise<Types['item']>
  /** Makes one. */
  create(values: Types['create']): Promise<Types['item']>
  /** Replaces all fields of one. */
  replace(id: number, values: Types['create']): Promise<Types['item']>
  /** Changes the fields that are given; `null` empties one. */
  update(id: number, changes: Types['update']): Promise<Types['item']>
  /** Deletes one, and gives it as it was. */
  delete(id: number): Promise<Types['item']>
}

/** Gives the rows of a resource, as this caller may see and change them. */
export type RowsOf = (resource: Resource, caller: CallContext) => Rows

/** What rows work with. */
interface RowsParts {
  readonly endpoints: readonly PublicEndpoint[]
  readonly tools: EndpointTools
  readonly runNested: RunNested
}

/** What one of the six routes is called with. */
interface Asked {
  readonly action: ResourceAction
  readonly id?: number
  readonly query?: unknown
  readonly input?: unknown
}

/** The rows of the resources that have these routes. */
export function createRowsOf({ endpoints, tools, runNested }: RowsParts): RowsOf {
  const routes = routesOf(endpoints)
  return (resource, caller) => {
    const of = routes.get(resource)
    if (of === undefined)
      throw new TypeError(
        `rows of ${resource.name} are reached where a router has them: .resource('v1', ${resource.name})`,
      )
    const ask = async (asked: Asked): Promise<never> => {
      const endpoint = of.get(asked.action)
      if (endpoint === undefined) throw new TypeError(`the store of ${resource.name} cannot ${asked.action}`)
      const { route } = endpoint
      return runNested(
        { route, input: asked.input, caller, source: toCall(caller.source, endpoint, asked) },
        async (ctx) => {
          if (asked.id !== undefined) ctx.params = { id: String(asked.id) }
          ctx.search = toSearch(asked.query)
          const { body } = orThrow(await endpoint.run(ctx, tools))
          return JSON.parse(body as string) as unknown // a row or a page
        },
      ) as Promise<never>
    }
    return {
      list: (query) => ask({ action: 'list', query }),
      get: (id) => ask({ action: 'get', id }),
      create: (input) => ask({ action: 'create', input }),
      replace: (id, input) => ask({ action: 'replace', id, input }),
      update: (id, input) => ask({ action: 'update', id, input }),
      delete: (id) => ask({ action: 'delete', id }),
    }
  }
}

type ByAction = Map<ResourceAction, PublicEndpoint>

/** The routes of each resource; of several versions the one that has no end in sight. */
function routesOf(endpoints: readonly PublicEndpoint[]): ReadonlyMap<Resource, ByAction> {
  const routes = new Map<Resource, ByAction>()
  for (const endpoint of endpoints) {
    if (endpoint.resource === undefined) continue
    const { resource, action, lifetime } = endpoint.resource
    const of: ByAction = routes.get(resource) ?? new Map()
    if (lifetime === null || !of.has(action)) of.set(action, endpoint)
    routes.set(resource, of)
  }
  return routes
}

/** Headers that speak of the caller's own request and body, and not of this one. */
const NOT_OURS = /^(?:accept|idempotency-key|if-.*|content-.*|transfer-encoding)$/

/** The call of a route inside of another call: of the same caller, with a body of its own. */
function toCall(outer: Call, { method, path }: PublicEndpoint, { input }: Asked): Call {
  const text = input === undefined ? '' : JSON.stringify(input)
  return {
    method,
    target: path,
    ip: outer.ip,
    isSecure: outer.isSecure,
    rawHeaders: outer.rawHeaders,
    header(name) {
      if (name === 'content-type') return 'application/json'
      return NOT_OURS.test(name) ? null : outer.header(name)
    },
    text: () => text,
    get signal() {
      return outer.signal
    },
    get request() {
      return outer.request
    },
  }
}

function toSearch(query: unknown): string {
  const said = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  return new URLSearchParams(said.map(([name, value]): [string, string] => [name, String(value as Scalar)])).toString()
}
