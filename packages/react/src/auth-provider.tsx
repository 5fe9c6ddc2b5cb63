import type { QueryClient } from '@tanstack/react-query'
import { useCallback, useContext, useEffect, useMemo, type ReactNode } from 'react'
import { createSessionClient, type AuthSource, type SessionClientOptions } from '@sdk/frontend'
import { forgetUsers } from './forget-users.ts'
import { AuthContext, CacheContext, SdkContext, type QueryClientLike } from './sdk-context.ts'

/** Props of `AuthProvider`. */
export interface AuthProviderProps extends Pick<SessionClientOptions, 'persist'> {
  /** Who is signed in. @default the SDK's own client of the auth routes */
  source?: AuthSource | undefined
  /** Where the server is; only needed outside a full-stack project. @default that of an outer `SdkProvider`, else the page's own origin */
  baseUrl?: string | undefined
  /** Where the auth routes are. @default '/api/auth' */
  basePath?: string | undefined
  children?: ReactNode
}

/** Gives every call and socket below it the token of who is signed in. Stands outside `SdkProvider`, or inside. */
export function AuthProvider({ source, basePath, persist, children, ...props }: AuthProviderProps): ReactNode {
  const outer = useContext(SdkContext)
  const baseUrl = props.baseUrl ?? outer?.client.options.baseUrl
  const auth = useMemo(
    () => source ?? createSessionClient({ baseUrl, basePath, persist }),
    [source, baseUrl, basePath, persist],
  )
  const sdk = useMemo(() => outer && { ...outer, client: outer.client.withAuth(auth) }, [outer, auth])
  const watch = useCallback((queries: QueryClientLike) => forgetUsers(auth, queries as QueryClient), [auth])
  // Starts the source, and keeps its token fresh, also while no component reads it.
  useEffect(() => auth.subscribe(() => {}), [auth])
  useEffect(() => outer?.queryClient && watch(outer.queryClient), [outer?.queryClient, watch])
  return (
    <AuthContext.Provider value={auth}>
      <CacheContext.Provider value={watch}>
        <SdkContext.Provider value={sdk}>{children}</SdkContext.Provider>
      </CacheContext.Provider>
    </AuthContext.Provider>
  )
}
