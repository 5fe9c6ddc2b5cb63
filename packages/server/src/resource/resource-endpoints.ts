import type { ResourceAction } from '../define/resource-definition.ts'
import { isApiError, type ErrorDetail } from '@sdk/protocol'
import { refuseInvalid, refuse } from '../http/http-error.ts'
import { accepts, names } from '../http/accept.ts'
import { readJsonText } from '../http/body.ts'
import type { Call, Reply } from '../http/call.ts'
import type { CallContext } from '../context/context.ts'
import type { EndpointTools, PublicEndpoint } from '../endpoint/endpoint.ts'
import { parseJson } from '../http/json.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import { parseQuery } from '../http/url.ts'
import type { RouterEntry } from '../define/router.ts'
import { requireAccess } from './access.ts'
import { replaceRow, updateRow } from './update.ts'
import { createRow } from './create.ts'
import { endOf, withLifetime } from '../define/lifetime.ts'
import { unknownParameter } from './list-query.ts'
import { createParts, type ResourceCall, type ResourceParts } from './resource-runtime.ts'
import { getRow, listRows, missing } from './read.ts'
import { deleteRow } from './delete.ts'
import type { Store, StoreWith } from '../define/store.ts'

type Entry = RouterEntry & { kind: 'resource' }

/** Answers a call that may be answered. */
type Run = (parts: ResourceParts, call: ResourceCall) => Promise<Reply>

/** One of the six routes. */
interface Way {
  readonly action: ResourceAction
  readonly method: string
  /** Null where the store cannot do it: then there is no such route. */
  readonly run: Run | null
}

/** Where a resource is reached; what its store leaves out is not there. */
export function resourceEndpoints(entry: Entry): PublicEndpoint[] {
  const { resource, path, lifetime, at } = entry
  const parts = createParts(resource, path)
  const { description } = resource.definition
  return waysOf(resource.store).flatMap(({ action, method, run }) => {
    if (run === null) return []
    const isItem = action !== 'list' && action !== 'create'
    const place = isItem ? `${path}/:id` : path
    return {
      route: `${method} ${place}`,
      method,
      path: place,
      kind: 'resource' as const,
      definition: { description, handler: () => undefined },
      resource: { resource, action, lifetime },
      isStatic: !isItem,
      at,
      run: createRun({ action, run, parts, isItem, hasBody: BODIES.has(method) }, lifetime),
    }
  })
}

const BODIES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

function waysOf(store: Store): Way[] {
  const changeable = can(store, 'get') && can(store, 'replace') ? store : null
  return [
    { action: 'list', method: 'GET', run: can(store, 'list') ? (parts, call) => listRows(store, parts, call) : null },
    {
      action: 'create',
      method: 'POST',
      run: can(store, 'create') ? (parts, call) => createRow(store, parts, call) : null,
    },
    { action: 'get', method: 'GET', run: can(store, 'get') ? (parts, call) => getRow(store, parts, call) : null },
    { action: 'replace', method: 'PUT', run: changeable && ((parts, call) => replaceRow(changeable, parts, call)) },
    { action: 'update', method: 'PATCH', run: changeable && ((parts, call) => updateRow(changeable, parts, call)) },
    {
      action: 'delete',
      method: 'DELETE',
      run: can(store, 'delete') ? (parts, call) => deleteRow(store, parts, call) : null,
    },
  ]
}

function can<Name extends keyof Store>(store: Store, name: Name): store is StoreWith<Name> {
  return store[name] !== undefined
}

interface Plan {
  readonly action: ResourceAction
  readonly run: Run
  readonly parts: ResourceParts
  readonly isItem: boolean
  readonly hasBody: boolean
}

/** The order of checks: end of life, permission, `Accept`, the body's type and size, path and query, JSON. */
function createRun(plan: Plan, lifetime: Entry['lifetime']): PublicEndpoint['run'] {
  if (lifetime === null) return (ctx, tools) => answer(plan, ctx, tools)
  return async (ctx, tools) => {
    const end = endOf(lifetime, Date.now())
    if (end !== null) return end
    try {
      return withLifetime(await answer(plan, ctx, tools), lifetime)
    } catch (thrown) {
      throw isApiError(thrown) ? withLifetime(thrown, lifetime) : thrown
    }
  }
}

async function answer(plan: Plan, ctx: CallContext, tools: EndpointTools): Promise<Reply> {
  const { action, run, parts, isItem, hasBody } = plan
  // Awaited only where there is something to wait for: each time is a turn of its own.
  const rule = requireAccess(parts.resource.definition, action, ctx)
  const where = rule instanceof Promise ? await rule : rule
  assertAcceptable(ctx.source)
  const read = hasBody ? readJsonText(ctx.source, tools.maxBody) : ''
  const text = read instanceof Promise ? await read : read
  ctx.query = parseQuery(ctx.search)
  if (action !== 'list') ctx.params = parsePlace(ctx, isItem)
  const body = text === '' ? undefined : parseJson(text)
  return run(parts, { ctx, tools, where, body })
}

function assertAcceptable(call: Call): void {
  const accept = call.header('accept')
  if (accepts(accept, [MEDIA_TYPE.json]) || names(accept, MEDIA_TYPE.problem)) return
  throw refuse('NOT_ACCEPTABLE', `answers are ${MEDIA_TYPE.json}: let Accept allow it`)
}

/** The id, where the path has one; no parameters are known here. All faults of both are one 400. */
function parsePlace({ params, query }: CallContext, isItem: boolean): { id: number } {
  const text = isItem ? (params as { id: string }).id : '1'
  const faults: ErrorDetail[] = Object.keys(query as object).map(unknownParameter)
  const message = 'must be a positive integer'
  if (!/^[1-9]\d*$/.test(text)) faults.unshift({ code: 'INVALID_FORMAT', message, source: 'path', name: 'id' })
  if (faults.length > 0) throw refuseInvalid(faults)
  const id = Number(text)
  return { id: Number.isSafeInteger(id) ? id : missing() }
}
