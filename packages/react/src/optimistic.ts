import type { Query, QueryClient } from '@tanstack/react-query'
import type { CallOutput, ParamsOption, QueryOption } from '@sdk/frontend'
import { toHash } from './api-query.ts'
import { stopFetch } from './live-query.ts'
import { changePages, PAGES, type Pages } from './pages.ts'
import type { QueryRoute } from './api-options.ts'

/** What is cached of GET routes, to be changed before the server has answered. */
export interface OptimisticCache {
  /**
   * Changes what is cached of a route: all of it, or only of these `params` and this `query`; what `usePages` has is
   * one page with all items. It is undone where the request fails, and fetched anew when it has ended.
   */
  update<R extends QueryRoute>(
    route: R,
    change: (old: CallOutput<R>) => CallOutput<R>,
    at?: Partial<ParamsOption<R> & QueryOption<R>>,
  ): void
}

/** The changes of one request. */
export interface OptimisticChanges extends OptimisticCache {
  /** To be called once, when the request has ended. */
  end(isSuccess: boolean): void
}

type Change = (old: unknown) => unknown

/** What is shown of a query: what was there, and the changes of requests in flight, in order. */
interface Layers {
  readonly base: unknown
  readonly changes: Change[]
  pending: number
}

const layersOf = new WeakMap<Query, Layers>()

/** Collects the changes of one request to what one user has in the cache. */
export function createOptimisticChanges(queries: QueryClient, identity: string | null): OptimisticChanges {
  const made: [Query, Change][] = []
  return {
    update(route, change, at = {}) {
      const isMeant = ({ queryKey: [name, request, owner], state }: Query): boolean =>
        name === route && owner === identity && state.data !== undefined && isAt(request, at)
      for (const query of queries.getQueryCache().findAll({ predicate: isMeant })) {
        const isPages = query.queryKey[3] === PAGES
        const step: Change = (old) => (isPages ? changePages(old as Pages, change as Change) : change(old as never))
        addChange(query, step)
        made.push([query, step])
      }
    },
    end(isSuccess) {
      for (const [query, change] of made)
        if (endChange(query, isSuccess ? null : change))
          void queries.invalidateQueries({ predicate: (other) => other === query })
    },
  }
}

function addChange(query: Query, change: Change): void {
  // What a running fetch brings does not know of the change.
  stopFetch(query)
  const data = change(query.state.data)
  const layers = layersOf.get(query) ?? { base: query.state.data, changes: [], pending: 0 }
  layersOf.set(query, layers)
  layers.pending++
  layers.changes.push(change)
  query.setData(data, { manual: true })
}

/** True where it was the last one. Before, the server knows less than the page shows, and is not asked. */
function endChange(query: Query, undone: Change | null): boolean {
  const layers = layersOf.get(query)
  if (layers === undefined) return false
  const { base, changes } = layers
  if (undone !== null) {
    changes.splice(changes.indexOf(undone), 1)
    query.setData(
      changes.reduce((data, change) => change(data), base),
      { manual: true },
    )
  }
  if (--layers.pending > 0) return false
  return layersOf.delete(query)
}

function isAt(request: unknown, at: object): boolean {
  return Object.entries(at).every(
    ([name, wanted]) => wanted === undefined || toHash(wanted) === toHash((request as Record<string, unknown>)[name]),
  )
}
