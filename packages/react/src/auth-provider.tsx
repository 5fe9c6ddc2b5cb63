import type { QueryClient } from '@tanstack/react-query'
import { useContext, useEffect, useMemo, type ReactNode } from 'react'
import { createSessionClient, type AuthSource, type SessionClientOptions } from '@sdk/frontend'
import { forgetUsers } from './forget-users.ts'
import { AuthContext, SdkContext, type AuthContextValue } from './sdk-context.ts'

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

/**
 * Gives every call and socket below it the token of who is signed in. Stands outside `SdkProvider`, or inside.
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
  // Starts the source, and keeps its token fresh, also while no component reads it.
  useEffect(() => auth.source.subscribe(() => {}), [auth])
  useEffect(() => outer?.queryClient && auth.watch(outer.queryClient), [outer?.queryClient, auth])
  return (
    <AuthContext.Provider value={auth}>
      <SdkContext.Provider value={sdk}>{children}</SdkContext.Provider>
    </AuthContext.Provider>
  )
}
