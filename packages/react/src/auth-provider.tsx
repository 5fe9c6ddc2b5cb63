import { useContext, useEffect, useMemo, type ReactNode } from 'react'
import { createSessionClient, type AuthSource } from '@sdk/frontend'
import { AuthContext, SdkContext } from './sdk-context.ts'

/** Props of `AuthProvider`. */
export interface AuthProviderProps {
  /** Who is signed in. @default the SDK's own client of the auth routes */
  source?: AuthSource | undefined
  /** Where the server is; only needed outside a full-stack project. @default the page's own origin */
  baseUrl?: string | undefined
  /** Where the auth routes are. @default '/api/auth' */
  basePath?: string | undefined
  children?: ReactNode
}

/** Gives every call and socket below it the token of who is signed in. Stands outside `SdkProvider`, or inside. */
export function AuthProvider({ source, baseUrl, basePath, children }: AuthProviderProps): ReactNode {
  const auth = useMemo(() => source ?? createSessionClient({ baseUrl, basePath }), [source, baseUrl, basePath])
  const outer = useContext(SdkContext)
  const sdk = useMemo(() => outer && { ...outer, client: outer.client.withAuth(auth) }, [outer, auth])
  // Starts the source, and keeps its token fresh, also while no component reads it.
  useEffect(() => auth.subscribe(() => {}), [auth])
  return (
    <AuthContext.Provider value={auth}>
      <SdkContext.Provider value={sdk}>{children}</SdkContext.Provider>
    </AuthContext.Provider>
  )
}
