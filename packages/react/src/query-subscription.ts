import { hashKey, type Query, type QueryCache } from '@tanstack/react-query'
import { createStore, type WritableStore } from '@sdk/frontend'
import type { LiveSubscription, subscribeLive } from '@sdk/frontend/live'
import { stopFetch } from './live-query.ts'
import { layersOf, showLayers } from './optimistic.ts'
import type { CachedPages } from './pages.ts'
import type { LiveInput, LiveSettings } from './sdk-context.ts'
import { withhold } from './withhold.ts'

/** The live subscription of a query, shared by all components that use the query. */
export interface QuerySubscription {
  readonly query: Query
  readonly store: WritableStore<{ isLive: boolean }>
  /** The subscriptions: one for each page, or a single one for a query without pages. */
  parts: LivePart[]
  /** The number of components. */
  users: number
  /** The functions that remove optimistic changes which the newest data contains. */
  readonly ends: ((isSubscribed: boolean) => void)[]
  /** Whether the last subscription ended with an error. */
  hasFailed?: boolean
  input?: SubscriptionInput
  /** Stops following the query cache. */
  unfollow?: () => void
  subscribe?: typeof subscribeLive
}

/** The request of a query, and the function that returns the parameters of the next page, if there are pages. */
interface SubscriptionInput extends LiveInput {
  readonly getNext: LiveSettings['getNextPageParam']
}

interface LivePart {
  /** The query parameters that differ from those of the first page. */
  readonly param: unknown
  /** The data, or undefined until it arrives. */
  data: unknown
  isLive: boolean
  subscription?: LiveSubscription
}

/** The maximum number of pages of a live list. A connection can have 50 subscriptions. */
const MAX_PAGES = 20

/** Creates the subscription of a query, which starts with the first component. */
export function createQuerySubscription(query: Query): QuerySubscription {
  return { query, store: createStore({ isLive: false }), parts: [], users: 0, ends: [] }
}

/** Subscribes for the first component. Returns a function that ends the subscription after the last component. */
export function join(live: QuerySubscription, input: SubscriptionInput): () => void {
  if (live.users++ === 0) {
    live.input = input
    void start(live)
  }
  live.unfollow ??= followCache(live, input.queryClient.getQueryCache() as QueryCache)
  return () => {
    live.users--
    // Deferred because StrictMode unmounts and remounts components synchronously.
    queueMicrotask(() => {
      if (live.users) return
      live.unfollow?.()
      delete live.unfollow
      stop(live)
    })
  }
}

async function start(live: QuerySubscription): Promise<void> {
  live.hasFailed = false
  // Loaded on first use, since it contains the socket client.
  live.subscribe = (await import('@sdk/frontend/live')).subscribeLive
  if (!live.users || live.parts.length) return
  for (const [index, param] of cachedPages(live).pageParams.entries()) addPart(live, index, { param })
}

/** Requests fresh data when a live query is invalidated, since it is not fetched. */
function followCache(live: QuerySubscription, cache: QueryCache): () => void {
  return cache.subscribe(({ type, query, ...event }) => {
    if (query !== live.query || type !== 'updated' || !live.store.get().isLive) return
    if ((event as { action: { type: string } }).action.type !== 'invalidate') return
    // A later change must invalidate the query again.
    query.setState({ isInvalidated: false })
    void syncQuery(live)
  })
}

function stop(live: QuerySubscription): void {
  for (const { subscription } of live.parts.splice(0)) subscription?.end()
  updateLive(live)
  settle(live, false)
}

/** Subscribes to the pages that were fetched in the meantime. */
export function grow(live: QuerySubscription): void {
  const { pages, pageParams } = cachedPages(live)
  if (!live.parts.length || pageParams.length <= live.parts.length) return
  if (pageParams.length > MAX_PAGES) return stop(live)
  for (const [index, param] of pageParams.entries())
    if (!live.parts[index]) addPart(live, index, { param, data: pages[index] })
  show(live)
}

/** Waits for all changes made so far, or for the end of the subscription. */
export async function syncQuery(live: QuerySubscription): Promise<void> {
  // A change can replace pages, whose data must arrive, too.
  do await Promise.all(live.parts.map(async ({ subscription }) => subscription?.sync()))
  while (live.parts.length && !isComplete(live))
}

/** Returns fresh data of the query or of one page, or undefined if it is not live. */
export function fetchLive(live: QuerySubscription, param: unknown): Promise<unknown> | undefined {
  if (live.hasFailed && live.users) void start(live)
  const index = live.parts.findIndex((part) => isSame(part.param, param))
  const subscription = live.store.get().isLive ? live.parts[index]?.subscription : undefined
  const read = (): unknown => (live.input?.getNext ? cachedPages(live).pages[index] : live.query.state.data)
  return subscription?.sync().then(read)
}

/**
 * Shows the data as soon as all of it has arrived. While requests with optimistic changes are in progress, it may
 * already contain some of the changes. The parts that they change are therefore shown when all requests have ended.
 */
export function show(live: QuerySubscription): void {
  const { query, parts, ends, input } = live
  const [first] = parts
  if (!first) return settle(live, false)
  if (!isComplete(live)) return
  const pages = { pages: parts.map(({ data }) => data), pageParams: parts.map(({ param }) => param) }
  const data = input?.getNext ? pages : first.data
  const layers = layersOf.get(query) ?? { base: data, changes: new Set<never>(), pending: 0 }
  if (layers.pending > ends.length) layers.base = withhold(data, layers)
  else {
    layers.base = data
    settle(live, true)
  }
  showLayers(query, layers)
}

/** Removes the optimistic changes whose requests have ended. Without a subscription, their queries are fetched. */
export function settle({ ends }: QuerySubscription, isSubscribed: boolean): void {
  for (const end of ends.splice(0)) end(isSubscribed)
}

function addPart(live: QuerySubscription, index: number, { param, data }: Partial<LivePart>): void {
  const { parts, subscribe, input } = live
  if (!subscribe || !input) return
  parts[index]?.subscription?.end()
  const part: LivePart = { param, data, isLive: live.store.get().isLive }
  parts[index] = part
  const query = { ...input.options.query, ...(param as object | null) }
  part.subscription = subscribe(
    input.client,
    { ...input, params: input.options.params, query },
    {
      onLive(isLive) {
        part.isLive = isLive
        updateLive(live)
      },
      onData(next) {
        part.data = next
        show(live)
      },
      onError(error) {
        stop(live)
        live.hasFailed = true
        stopFetch(live.query)
        // Requests in flight must not restore the data when they end.
        const layers = layersOf.get(live.query)
        if (layers) layers.base = undefined
        live.query.setState({ data: undefined, error, status: 'error' })
      },
    },
  )
}

function updateLive({ parts, store, query }: QuerySubscription): void {
  const isLive = parts.length > 0 && parts.every((part) => part.isLive)
  if (isLive === store.get().isLive) return
  // A response in progress may be older than the live data, and a sync in progress would not end without a connection.
  // A request for the next page continues.
  if (!query.state.fetchMeta) stopFetch(query)
  store.patch({ isLive })
}

/** Returns whether all data has arrived. A page whose predecessor has a new end is replaced. */
function isComplete(live: QuerySubscription): boolean {
  const { parts, input } = live
  return parts.every(({ data }, index) => {
    const after = parts[index + 1]
    if (data === undefined || !after) return data !== undefined
    const pages = parts.slice(0, index + 1).map((part) => part.data)
    const param = input?.getNext?.(data, pages)
    if (!param) for (const { subscription } of parts.splice(index + 1)) subscription?.end()
    else if (!isSame(param, after.param)) addPart(live, index + 1, { param })
    return true
  })
}

function cachedPages({ query, input }: QuerySubscription): CachedPages {
  const cached = input?.getNext && (query.state.data as CachedPages | undefined)
  return cached ?? { pages: [], pageParams: [null] }
}

function isSame(one: unknown, other: unknown): boolean {
  return hashKey([one]) === hashKey([other])
}
