import { createCollection } from '@tanstack/db'
import { queryCollectionOptions } from '@tanstack/query-db-collection'
import { environmentManager, QueryClient } from '@tanstack/react-query'

// Otherwise, nothing is requested again outside of a browser.
environmentManager.setIsServer(() => false)

/** Creates collections of TanStack DB that request their rows again at an interval. */
export function createCollections({ count, everyMs, queryFn }) {
  const queryClient = new QueryClient()
  const collections = Array.from({ length: count }, (_, index) =>
    createCollection(
      queryCollectionOptions({
        queryKey: ['plain', index],
        queryFn,
        queryClient,
        refetchInterval: everyMs,
        getKey: ({ id }) => id,
      }),
    ),
  )
  return { collections, clear: () => queryClient.clear() }
}
