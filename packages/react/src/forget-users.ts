import type { QueryClient } from '@tanstack/react-query'
import type { AuthSource } from '@sdk/frontend'

/** Drops from a cache what belongs to users who have left; returns the way to stop. */
export function forgetUsers(auth: AuthSource, queries: QueryClient): () => void {
  const current = (): string | undefined => auth.snapshot().user?.id
  const calls = queries.getMutationCache()
  let last = current()
  return auth.subscribe(() => {
    const previous = last
    last = current()
    if (previous === last) return
    // Calls do not say whose they are, so all go. Requests that run go on, but nobody can read their answers.
    if (previous !== undefined)
      for (const call of calls.getAll()) if (isRoute(call.options.mutationKey?.[0])) calls.remove(call)
    // Later, when the components have moved on to the queries of the new user: one that they leave after this would
    // stay.
    setTimeout(() =>
      queries.removeQueries({
        predicate: ({ queryKey: [route, , owner] }) =>
          isRoute(route) && typeof owner === 'string' && owner !== current(),
      }),
    )
  })
}

/** The keys of the SDK begin with a route, or say that there is none; others are the app's own. */
function isRoute(key: unknown): boolean {
  return /^[A-Z]+ \/|^no GET$/.test(String(key))
}
