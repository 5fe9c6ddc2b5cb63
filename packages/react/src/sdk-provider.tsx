import { QueryClient, QueryClientContext, QueryClientProvider } from '@tanstack/react-query'
import { useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { createHttpClient, type HttpClient } from '@sdk/frontend'
import { AuthContext, SdkContext, type LiveData, type OfflineClient, type QueryClientLike } from './sdk-context.ts'

/** Props of `SdkProvider`. */
export interface SdkProviderProps {
  /** The URL of the server. Required only outside a full-stack project. @default the page's origin */
  baseUrl?: string | undefined
  /** A custom client to use instead of `baseUrl`. */
  client?: HttpClient | undefined
  /**
   * A TanStack Query `QueryClient`, for one server.
   * @default the `QueryClient` in context, or a new one
   */
  queryClient?: QueryClientLike | undefined
  /** The `live` object from `@sdk/react/live`, which hooks with `live: true` require. @default none */
  live?: LiveData | undefined
  /** The function `offline` of `@sdk/react/offline`, which mutations with `offline: true` require. @default none */
  offline?: ((client: HttpClient, queryClient: QueryClientLike) => OfflineClient) | undefined
  children?: ReactNode
}

/**
 * Provides the client and the cache for the hooks in all components below it.
 * @example <AuthProvider><SdkProvider><App /></SdkProvider></AuthProvider>
 */
export function SdkProvider({ baseUrl, client, queryClient, live, offline, children }: SdkProviderProps): ReactNode {
  const auth = useContext(AuthContext)
  const outerSdk = useContext(SdkContext)
  const outer = useContext(QueryClientContext)
  const [own] = useState(() => new QueryClient())
  // Cache keys do not contain the server, since a page and the process that renders it may use different URLs for it.
  // The data of another server must therefore be in another cache.
  const server = client ? client.options.baseUrl : baseUrl
  const isOtherServer = outerSdk?.queryClient === outer && outerSdk?.client.options.baseUrl !== server
  const queries = queryClient ?? (isOtherServer ? own : (outer ?? own))
  const sdk = useMemo(() => {
    const plain = client ?? createHttpClient({ baseUrl })
    const http = offline?.(plain, queries) ?? plain
    return { client: auth ? http.withAuth(auth.source) : http, queryClient: queries, live }
  }, [auth, baseUrl, client, queries, live, offline])
  useEffect(() => auth?.watch(queries), [auth, queries])
  return (
    <QueryClientProvider client={queries as QueryClient}>
      <SdkContext.Provider value={sdk}>{children}</SdkContext.Provider>
    </QueryClientProvider>
  )
}
