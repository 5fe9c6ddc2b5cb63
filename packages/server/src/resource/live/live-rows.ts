import type { RequestContext } from '../../context/context.ts'
import type { Resource } from '../../define/resource.ts'
import type { AnyResourceDefinition } from '../../define/resource-definition.ts'
import type { Condition, Store, StoreWith, Where } from '../../define/store.ts'
import type { LiveSource } from '../../endpoint/live-source.ts'
import { httpError } from '../../http/http-error.ts'
import { intersectWhere } from '../access-rule.ts'
import { addRelated, splitQueries } from '../add-related.ts'
import { prepareExpansion, type Expansion } from '../expansion.ts'
import { createItemCache, ListView, RowView, type ListPlan } from './live-view.ts'
import { readPage, toPageStart } from '../page.ts'
import { findRow, parseItemExpand, rowIdOf } from '../read.ts'
import type { ResourceRequest, ResourceRuntime } from '../resource-runtime.ts'

/** The minimum time between two reads of a list that counts its rows, in ms. */
const COUNT_INTERVAL_MS = 1_000

/** Opens the data of a `GET` request for the list. */
export async function openLiveList(
  store: StoreWith<'list'>,
  runtime: ResourceRuntime,
  { ctx, tools, where: rule }: ResourceRequest,
): Promise<LiveSource> {
  const { resource, path, parseListQuery } = runtime
  const { shape } = resource
  const request = parseListQuery(ctx.query as Record<string, string>)
  const { expansion, ...dependencies } = await openExpansion(runtime, request.expand, ctx)
  const where = narrowWhere(rule, request.conditions)
  const conditions = request.conditions.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  const maxBytes = tools.limits.page
  const start = toPageStart(shape, request)
  const plan: ListPlan = {
    shape,
    store,
    request,
    where,
    start,
    maxBytes,
    toItem: itemsOf(runtime),
    isPlain: !expansion,
  }
  return {
    ...dependencies,
    where,
    key: JSON.stringify([path, { ...request, conditions }, where, dependencies.key]),
    interval: request.isCounted ? COUNT_INTERVAL_MS : 0,
    read: () =>
      readFirst(store, async () => {
        const page = await readPage(store, request, { shape, where, maxBytes, expansion })
        if (expansion === null) return ListView.of(plan, page)
        return ListView.of(plan, page, createItemCache(await expansion.createSerializer(page.rows)))
      }),
  }
}

/** Opens the data of a `GET` request for a row. */
export async function openLiveRow(
  store: StoreWith<'get'>,
  runtime: ResourceRuntime,
  { ctx, tools, where: rule }: ResourceRequest,
): Promise<LiveSource> {
  const id = rowIdOf(ctx)
  const where = narrowWhere(rule, [])
  const expand = parseItemExpand(ctx.query as Record<string, string>, runtime.expandable)
  const { expansion, ...dependencies } = await openExpansion(runtime, expand, ctx)
  const { apart, related } = splitQueries(store, expansion?.queries ?? [])
  const maxBytes = tools.limits.page
  return {
    ...dependencies,
    where,
    key: JSON.stringify([`${runtime.path}/:id`, id, expand, where, dependencies.key]),
    interval: 0,
    read: () =>
      readFirst(store, async () => {
        const found = await findRow(store, { id, where, maxBytes, ...related })
        const { rows } = await addRelated({ rows: [found] }, apart, { limit: 1, maxBytes })
        const serialize = expansion === null ? runtime.serializeRow : await expansion.createSerializer(rows)
        return new RowView({ store, id, isPlain: expansion === null }, rows.map(serialize).join(''))
      }),
  }
}

/** Reads before other callers that wait for the store, because many clients wait for live data. */
export function readFirst<T>(store: Store, work: () => Promise<T>): Promise<T> {
  return store.readFirst === undefined ? work() : store.readFirst(work)
}

interface Dependencies extends Pick<LiveSource, 'isShared' | 'resources' | 'accessStores'> {
  readonly expansion: Expansion | null
  /** The conditions for the related rows, which are part of the key of the data. */
  readonly key: unknown
}

/** Prepares the expansion of a live request. Throws 400 if changes of the rows or of related rows are not announced. */
async function openExpansion(
  { resource, ...runtime }: ResourceRuntime,
  names: readonly string[],
  ctx: RequestContext,
): Promise<Dependencies> {
  const { definition, relations } = resource
  const related = names.flatMap((name) => relations[name]?.target ?? [])
  for (const { name, shape } of [resource, ...related]) {
    if (shape.isLive === true) continue
    throw httpError('NOT_LIVE', `changes of ${name} are not announced: add live: true to the resource, or omit expand`)
  }
  const expansion = names.length === 0 ? null : await prepareExpansion({ resource, ...runtime }, names, ctx)
  const rules: readonly Pick<AnyResourceDefinition, 'live'>[] = [definition, ...related.map((one) => one.definition)]
  return {
    expansion,
    // The load function of a computed value receives the context of one caller.
    isShared: names.every((name) => Object.hasOwn(relations, name)),
    resources: [resource, ...related],
    accessStores: rules.flatMap(({ live }) => accessStoresOf(live)),
    key: expansion?.queries.map(({ name, where }) => [name, narrowWhere(where, [])]),
  }
}

function accessStoresOf(live: Resource['definition']['live']): Store[] {
  return typeof live === 'object' ? (live.access ?? []).map(({ store }) => store) : []
}

/**
 * Combines an access rule with the conditions on its fields, in a form that is the same for equal conditions. Callers
 * with different rules then share a list if its filter selects rows that all of them may read.
 */
function narrowWhere(rule: Where, conditions: readonly Condition[]): Where {
  let where = rule
  for (const { field, operator, value } of conditions) {
    if ((operator === 'eq' || operator === 'in') && Object.hasOwn(rule, field))
      where = intersectWhere(where, { [field]: value }, 'filter')
  }
  return Object.fromEntries(
    Object.entries(where)
      .map(([field, value]): [string, Where[string]] => [field, toCanonical(value)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

function toCanonical(value: Where[string]): Where[string] {
  if (value === null || typeof value !== 'object') return value
  const values = [...new Set(value)].toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  return (values.length === 1 ? values[0] : undefined) ?? values
}

const caches = new WeakMap<ResourceRuntime, ListPlan['toItem']>()

/** Returns the function that serializes the rows of a resource. Rows that several lists share are serialized once. */
function itemsOf(runtime: ResourceRuntime): ListPlan['toItem'] {
  const known = caches.get(runtime) ?? createItemCache(runtime.serializeRow)
  caches.set(runtime, known)
  return known
}
