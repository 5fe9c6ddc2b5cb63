import type { Page } from '@sdk/protocol'
import type { CallContext } from '../context.ts'
import type { Call } from '../http/call.ts'
import { orThrow, type EndpointTools, type PublicEndpoint } from '../http/endpoint.ts'
import type { RunNested } from '../http/nested-run.ts'
import type { Resource, ResourceAction, ResourceTypes } from '../resource.ts'
import { changed } from './etag.ts'
import type { Scalar } from './store.ts'
import { isSame } from './values.ts'

/** The rows of a resource, as the caller of a handler may see and change them: what its six routes do, without a request. */
export interface Rows<Types extends ResourceTypes = ResourceTypes> {
  /** A page of them. */
  list(query?: Types['query']): Promise<Page<Types['item']>>
  /** One of them. */
  get(id: number): Promise<Types['item']>
  /** Makes one. */
  create(values: Types['create']): Promise<Types['item']>
  /** Replaces all fields of one. */
  replace(id: number, values: Types['create'], condition?: RowCondition<Types['item']>): Promise<Types['item']>
  /** Changes the fields that are given; `null` empties one. */
  update(id: number, changes: Types['update'], condition?: RowCondition<Types['item']>): Promise<Types['item']>
  /** Deletes one, and gives it as it was. */
  delete(id: number, condition?: RowCondition<Types['item']>): Promise<Types['item']>
}

/** Which state of a row a change means. */
export interface RowCondition<Item = unknown> {
  /**
   * The row as it was read, or what a caller sent as `If-Match`: if it is another one by now, the change rejects as
   * `PRECONDITION_FAILED`. `'*'` is whatever it is. Resources with `ifMatch: 'required'` want to be told.
   * @default whatever it is
   */
  ifMatch?: Item | string | null
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
  readonly ifMatch?: string | null | undefined
}

/** A row or a page, and of a row the state that it is in. */
interface Answered {
  readonly value: never
  readonly etag: string
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
    const run = async (asked: Asked): Promise<Answered> => {
      const endpoint = of.get(asked.action)
      if (endpoint === undefined) throw new TypeError(`the store of ${resource.name} cannot ${asked.action}`)
      const { route } = endpoint
      const source = toCall(caller.source, endpoint, asked)
      let etag = ''
      const value = await runNested({ route, input: asked.input, caller, source }, async (ctx) => {
        if (asked.id !== undefined) ctx.params = { id: String(asked.id) }
        ctx.search = toSearch(asked.query)
        const { body, headers } = orThrow(await endpoint.run(ctx, tools))
        etag = String(headers['etag'])
        return JSON.parse(body as string) as unknown
      })
      return { value: value as never, etag }
    }
    const ask = async (asked: Asked): Promise<never> => (await run(asked)).value
    const change = async (asked: Asked & { id: number }, { ifMatch }: RowCondition = {}): Promise<never> => {
      if (ifMatch === undefined && resource.definition.ifMatch === 'required') throw unsaid(resource)
      if (typeof ifMatch !== 'object' || ifMatch === null)
        return ask({ ...asked, ifMatch: ifMatch as string | null | undefined })
      const { value, etag } = await run({ action: 'get', id: asked.id })
      if (!isSame(value, ifMatch)) throw changed(etag)
      return ask({ ...asked, ifMatch: etag })
    }
    return {
      list: (query) => ask({ action: 'list', query }),
      get: (id) => ask({ action: 'get', id }),
      create: (input) => ask({ action: 'create', input }),
      replace: (id, input, condition) => change({ action: 'replace', id, input }, condition),
      update: (id, input, condition) => change({ action: 'update', id, input }, condition),
      delete: (id, condition) => change({ action: 'delete', id }, condition),
    }
  }
}

/** A handler's mistake, and not that of its caller, who knows nothing of the row. */
function unsaid({ name }: Resource): TypeError {
  return new TypeError(`${name} wants to know which version is meant: give the row that you read, as { ifMatch: row }`)
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
function toCall(outer: Call, { method, path }: PublicEndpoint, { input, ifMatch }: Asked): Call {
  const text = input === undefined ? '' : JSON.stringify(input)
  return {
    method,
    target: path,
    ip: outer.ip,
    isSecure: outer.isSecure,
    rawHeaders: outer.rawHeaders,
    header(name) {
      if (name === 'content-type') return 'application/json'
      if (name === 'if-match') return ifMatch ?? null
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
