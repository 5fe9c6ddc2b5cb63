import type { QueryClient } from '@tanstack/react-query'
import { useContext, useEffect, useMemo, type ReactNode } from 'react'
import { createSessionClient, type AuthSource, type SessionClientOptions } from '@sdk/frontend'
import { AuthContext, SdkContext, type AuthContextValue } from './sdk-context.ts'

/** Props of `AuthProvider`. */
export interface AuthProviderProps extends Pick<SessionClientOptions, 'persist'> {
  /** The source of the user and the token. @default the SDK's client for the auth routes */
  source?: AuthSource | undefined
  /**
   * The URL of the server. Required only outside a full-stack project.
   * @default the `baseUrl` of an outer `SdkProvider`, or the page's origin
   */
  baseUrl?: string | undefined
  /** The base path of the auth routes. @default '/api/auth' */
  basePath?: string | undefined
  children?: ReactNode
}

/**
 * Provides the user's token for the requests and sockets of all components below it. It can be placed outside or inside
 * `SdkProvider`.
 * @example <AuthProvider><SdkProvider><App /></SdkProvider></AuthProvider>
 */
export function AuthProvider({ source, basePath, persist, children, ...props }: AuthProviderProps): ReactNode {
  const outer = useContext(SdkContext)
  const baseUrl = props.baseUrl ?? outer?.client.options.baseUrl
  const auth = useMemo((): AuthContextValue => {
    const used = source ?? createSessionClient({ baseUrl, basePath, persist })
    return { source: used, watch: (queries) => forgetUsers(used, queries as QueryClient) }
  }, [source, baseUrl, basePath, persist])
  const sdk = useMemo(() => outer && { ...outer, client: outer.client.withAuth(auth.source) }, [outer, auth])
  // Starts the source and keeps its token fresh, even while no component reads it.
  useEffect(() => auth.source.subscribe(() => {}), [auth])
  useEffect(() => outer?.queryClient && auth.watch(outer.queryClient), [outer?.queryClient, auth])
  return (
    <AuthContext.Provider value={auth}>
      <SdkContext.Provider value={sdk}>{children}</SdkContext.Provider>
    </AuthContext.Provider>
  )
}

/** Removes a user's data from a cache when the user signs out or changes. Returns a function that stops this. */
function forgetUsers(auth: AuthSource, queries: QueryClient): () => void {
  const current = (): string | undefined => auth.snapshot().user?.id
  const mutations = queries.getMutationCache()
  let last = current()
  return auth.subscribe(() => {
    const previous = last
    last = current()
    if (previous === last) return
    // Mutations have no owner, so all are removed. Requests in progress continue, but their responses are dropped.
    if (previous !== undefined)
      for (const mutation of mutations.getAll())
        if (isRoute(mutation.options.mutationKey?.[0])) mutations.remove(mutation)
    // Deferred until components use the new user's queries, since queries that are still in use would be kept.
    setTimeout(() =>
      queries.removeQueries({
        predicate: ({ queryKey: [route, , owner] }) =>
          isRoute(route) && typeof owner === 'string' && owner !== current(),
      }),
    )
  })
}

/** Returns whether the first part of a key is from the SDK: a route, or `no GET` for a query that is not fetched. */
function isRoute(key: unknown): boolean {
  return /^[A-Z]+ \/|^no GET$/.test(String(key))
}
