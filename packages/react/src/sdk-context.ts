import { createContext, useCallback, useContext, useSyncExternalStore, type Context } from 'react'
import type { AuthSource, HttpClient } from '@sdk/frontend'

/** A `QueryClient` of TanStack Query 5, by a part of it: its own types stay out of ours. */
export interface QueryClientLike {
  getQueryCache(): object
  getMutationCache(): object
  mount(): void
  unmount(): void
}

/** What the hooks work with. */
export interface Sdk {
  /** The typed client, with the token of `AuthProvider` where there is one. */
  readonly client: HttpClient
  /** The cache below the GET routes, a `QueryClient` of TanStack Query. */
  readonly queryClient: QueryClientLike
}

/** Filled by `SdkProvider`. */
export const SdkContext: Context<Sdk | null> = createContext<Sdk | null>(null)

/** What an `AuthProvider` gives to those below it. */
export interface AuthContextValue {
  readonly source: AuthSource
  /** Drops from this cache, from now on, what belongs to users who have left; returns the way to stop. */
  readonly watch: (queries: QueryClientLike) => () => void
}

/** Filled by `AuthProvider`. */
export const AuthContext: Context<AuthContextValue | null> = createContext<AuthContextValue | null>(null)

/**
 * The client and the query client of the nearest `SdkProvider`, for what the other hooks do not do.
 * @example const { client } = useSdk(); await client.call('GET /api/v1/tasks')
 */
export function useSdk(): Sdk {
  const sdk = useContext(SdkContext)
  if (sdk === null) throw new TypeError('there is no <SdkProvider> above this component')
  return sdk
}

/** Who is signed in for a client, by id: null for nobody, undefined while that is not known, as on a server. */
export function useIdentity(client: HttpClient): string | null | undefined {
  return useSource(client.options.auth, () => identityOf(client), undefined)
}

/** The same, outside of components. */
export function identityOf({ options }: HttpClient): string | null | undefined {
  const auth = options.auth?.snapshot()
  return auth?.loading ? undefined : (auth?.user?.id ?? null)
}

/** Reads from a source; `onServer` is the value while a page is made on a server and hydrates. */
export function useSource<T>(source: AuthSource | null | undefined, read: () => T, onServer: T): T {
  const subscribe = useCallback((listener: () => void) => source?.subscribe(listener) ?? (() => {}), [source])
  return useSyncExternalStore(subscribe, read, () => onServer)
}
