import type { Query } from '@tanstack/react-query'
import type { CallOutput, ParamsOption, QueryOption } from '@sdk/frontend'
import { stopFetch } from './live-query.ts'
import { changePages, type CachedPages } from './pages.ts'
import { matchesRequest, type QueryRoute } from './query-route.ts'
import type { RequestContext } from './send-request.ts'

/** The cached data of GET routes, which can be changed before the server responds. */
export interface OptimisticCache {
  /**
   * Changes all cached data of a route, or only the data for the `params` and `query` in `filter`. For data fetched by
   * `usePages`, `change` receives one page with all items, or each page in turn if the pages have a custom format. The
   * change is rolled back if the request fails. Afterwards, the data is fetched again, unless it is live.
   */
  update<R extends QueryRoute>(
    route: R,
    change: (old: CallOutput<R>) => CallOutput<R>,
    filter?: Partial<ParamsOption<R> & QueryOption<R>>,
  ): void
}

/** The optimistic changes of one request. */
export interface OptimisticChanges extends OptimisticCache {
  /**
   * Settles the optimistic changes when the request completes. Must be called exactly once. Fetches the changed queries
   * and the given routes again.
   */
  end(isSuccess: boolean, routes?: readonly string[]): void
}

type CacheChange = (old: unknown) => unknown

/** A function that settles a change. Returns the queries to fetch again. */
type EndChange = (isSuccess: boolean) => Query[]

/** The data of a query before optimistic changes, and the changes made by requests in flight, in order. */
export interface Layers {
  base: unknown
  readonly changes: Set<CacheChange>
  pending: number
}

/** The layers of queries with optimistic changes. */
export const layersOf: WeakMap<Query, Layers> = new WeakMap()

/** Returns whether a query has no optimistic changes. With changes, it is fetched after the last of them. */
export function isUnchanged(query: object): boolean {
  return !layersOf.has(query as Query)
}

/**
 * Returns the data to cache after a fetch. While optimistic changes are in progress, this is the data that is shown: the
 * response may lack some of the changes, and the query is fetched again after the last of them.
 */
export function keepChanges(query: Query, shown: unknown, data: unknown): unknown {
  return isUnchanged(query) ? data : (shown ?? data)
}

/** Creates the optimistic changes that a request makes to a user's cached data. */
export function createOptimisticChanges({
  queryClient,
  identity = null,
  live,
}: Pick<RequestContext, 'queryClient' | 'identity' | 'live'>): OptimisticChanges {
  const ends: EndChange[] = []
  return {
    update(route, change, filter = {}) {
      const isTarget = ({ queryKey: [name, request, owner] }: Query): boolean =>
        name === route && owner === identity && matchesRequest(request, filter)
      for (const query of queryClient.getQueryCache().findAll({ predicate: isTarget })) {
        // Only the keys that `usePages` creates have a fourth part.
        const isPages = query.queryKey[3]
        const step = isPages ? (old: unknown) => changePages(old as CachedPages, change as CacheChange) : change
        const end = addChange(query, step as CacheChange)
        ends.push((isSuccess) => live?.hold(query, isSuccess, end) || end(isSuccess))
      }
    },
    end(isSuccess, routes = []) {
      const changed = new Set(ends.flatMap((end) => end(isSuccess)))
      // Uses a single call: otherwise, a query that matches both conditions would be fetched twice.
      const isStale = (query: Query): boolean => changed.has(query) || routes.includes(query.queryKey[0] as string)
      void queryClient.invalidateQueries({ predicate: isStale })
    },
  }
}

function addChange(query: Query, change: CacheChange): EndChange {
  // There is no data to change yet, but the result of a fetch in progress may lack the change.
  if (query.state.data === undefined)
    return () => {
      stopFetch(query)
      return [query]
    }
  // The result of a fetch in progress would lack the change.
  stopFetch(query)
  const base = query.state.data
  const data = change(base)
  const layers = layersOf.get(query) ?? { base, changes: new Set(), pending: 0 }
  layersOf.set(query, layers)
  layers.pending++
  layers.changes.add(change)
  query.setData(data, { manual: true })
  return (isSuccess) => {
    if (!isSuccess) {
      layers.changes.delete(change)
      showLayers(query, layers)
    }
    // The query is fetched again only after the last request, since until then the server lacks some of the changes.
    if (--layers.pending) return []
    layersOf.delete(query)
    return [query]
  }
}

/** Shows the data of a query with its optimistic changes. Shows nothing if the data has been removed. */
export function showLayers(query: Query, { base, changes }: Pick<Layers, 'base' | 'changes'>): void {
  if (base !== undefined)
    query.setData(
      [...changes].reduce<unknown>((shown, change) => change(shown), base),
      { manual: true },
    )
}
