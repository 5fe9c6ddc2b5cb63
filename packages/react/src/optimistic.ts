import type { Query, QueryClient } from '@tanstack/react-query'
import type { CallOutput, ParamsOption, QueryOption } from '@sdk/frontend'
import { stopFetch } from './live-query.ts'
import { changePages, PAGES_KEY, type CachedPages } from './pages.ts'
import { matchesRequest, type QueryRoute } from './query-route.ts'

/** The cached data of GET routes, for changes before the server responds. */
export interface OptimisticCache {
  /**
   * Changes the cached data of a route: all of it, or only that of these `params` and this `query`. Data of `usePages`
   * is one page with all items. The change is rolled back if the request fails; afterwards the data is fetched again.
   */
  update<R extends QueryRoute>(
    route: R,
    change: (old: CallOutput<R>) => CallOutput<R>,
    filter?: Partial<ParamsOption<R> & QueryOption<R>>,
  ): void
}

/** The optimistic changes of one request. */
export interface OptimisticChanges extends OptimisticCache {
  /** Ends the changes, once, after the request. Fetches the changed queries and these routes again. */
  end(isSuccess: boolean, routes?: readonly string[]): void
}

type CacheChange = (old: unknown) => unknown

/** Ends a change; returns the query if it must be fetched again now. */
type EndChange = (isSuccess: boolean) => Query[]

/** The data of a query before optimistic changes, and the changes of requests in flight, in order. */
const layersOf = new WeakMap<Query, { readonly base: unknown; readonly changes: Set<CacheChange>; pending: number }>()

/** Creates the optimistic changes of one request to the cached data of one user. */
export function createOptimisticChanges(queryClient: QueryClient, identity: string | null): OptimisticChanges {
  const ends: EndChange[] = []
  return {
    update(route, change, filter = {}) {
      const isTarget = ({ queryKey: [name, request, owner] }: Query): boolean =>
        name === route && owner === identity && matchesRequest(request, filter)
      for (const query of queryClient.getQueryCache().findAll({ predicate: isTarget })) {
        const isPages = query.queryKey[3] === PAGES_KEY
        const step: CacheChange = (old) =>
          isPages ? changePages(old as CachedPages, change as CacheChange) : change(old as never)
        ends.push(addChange(query, step))
      }
    },
    end(isSuccess, routes = []) {
      const changed = new Set(ends.flatMap((end) => end(isSuccess)))
      // In one call: otherwise a query that matches both would be fetched twice.
      const isStale = (query: Query): boolean => changed.has(query) || routes.includes(query.queryKey[0] as string)
      void queryClient.invalidateQueries({ predicate: isStale })
    },
  }
}

function addChange(query: Query, change: CacheChange): EndChange {
  // There is no data to change yet, but the result of the running fetch may lack the change.
  if (query.state.data === undefined)
    return () => {
      stopFetch(query)
      return [query]
    }
  // The result of a running fetch would lack the change.
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
      const rest = [...layers.changes].reduce((shown, each) => each(shown), layers.base)
      query.setData(rest, { manual: true })
    }
    // Fetch again only after the last request: until then the server lacks some of the changes.
    if (--layers.pending > 0) return []
    layersOf.delete(query)
    return [query]
  }
}
