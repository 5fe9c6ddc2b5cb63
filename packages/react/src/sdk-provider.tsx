import { QueryClient, QueryClientContext, QueryClientProvider } from '@tanstack/react-query'
import { useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { createHttpClient, type HttpClient } from '@sdk/frontend'
import { AuthContext, SdkContext, type QueryClientLike } from './sdk-context.ts'

/** Props of `SdkProvider`. */
export interface SdkProviderProps {
  /** The URL of the server. Required only outside a full-stack project. @default the page's origin */
  baseUrl?: string | undefined
  /** A custom client to use instead of `baseUrl`. */
  client?: HttpClient | undefined
  /** A TanStack Query `QueryClient`. @default the `QueryClient` in context, or a new one */
  queryClient?: QueryClientLike | undefined
  children?: ReactNode
}

/**
 * Provides the client and the cache for the hooks in all components below it.
 * @example <AuthProvider><SdkProvider><App /></SdkProvider></AuthProvider>
 */
export function SdkProvider({ baseUrl, client, queryClient, children }: SdkProviderProps): ReactNode {
  const auth = useContext(AuthContext)
  const outer = useContext(QueryClientContext)
  const [own] = useState(() => new QueryClient())
  const queries = queryClient ?? outer ?? own
  const sdk = useMemo(() => {
    const http = client ?? createHttpClient({ baseUrl })
    return { client: auth === null ? http : http.withAuth(auth.source), queryClient: queries }
  }, [auth, baseUrl, client, queries])
  useEffect(() => auth?.watch(queries), [auth, queries])
  return (
    <QueryClientProvider client={queries as QueryClient}>
      <SdkContext.Provider value={sdk}>{children}</SdkContext.Provider>
    </QueryClientProvider>
  )
}
