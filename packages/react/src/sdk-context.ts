import { createContext, useCallback, useContext, useSyncExternalStore, type Context } from 'react'
import type { AuthSource, HttpClient } from '@sdk/frontend'

/**
 * The part of TanStack Query 5's `QueryClient` that the SDK uses, so that the SDK's types do not depend on TanStack
 * Query's types.
 */
export interface QueryClientLike {
  getQueryCache(): object
  getMutationCache(): object
  mount(): void
  unmount(): void
}

/** The clients that the hooks use. */
export interface Sdk {
  /** The typed client, which sends the token from `AuthProvider` if there is one. */
  readonly client: HttpClient
  /** The cache for GET routes, a TanStack Query `QueryClient`. */
  readonly queryClient: QueryClientLike
}

/** The context that `SdkProvider` provides. */
export const SdkContext: Context<Sdk | null> = createContext<Sdk | null>(null)

/** The value that an `AuthProvider` provides. */
export interface AuthContextValue {
  readonly source: AuthSource
  /** Removes a user's data from a cache when the user signs out or changes. Returns a function that stops this. */
  readonly watch: (queries: QueryClientLike) => () => void
}

/** The context that `AuthProvider` provides. */
export const AuthContext: Context<AuthContextValue | null> = createContext<AuthContextValue | null>(null)

/**
 * Returns the client and the query client from the nearest `SdkProvider`, for use cases that the other hooks do not
 * cover.
 * @example const { client } = useSdk(); await client.call('GET /api/v1/tasks')
 */
export function useSdk(): Sdk {
  const sdk = useContext(SdkContext)
  if (sdk === null) throw new TypeError('@sdk/react hooks must be used within <SdkProvider>')
  return sdk
}

/**
 * Returns the id of a client's user, null if no user is signed in, or undefined on a server or while auth is loading.
 */
export function useIdentity(client: HttpClient): string | null | undefined {
  return useSource(client.options.auth, () => identityOf(client), undefined)
}

/** Returns the id of a client's user, for use outside components. */
export function identityOf({ options }: HttpClient): string | null | undefined {
  const auth = options.auth?.snapshot()
  return auth?.loading ? undefined : (auth?.user?.id ?? null)
}

/** Reads a value from a source. `onServer` is the value during server rendering and hydration. */
export function useSource<T>(source: AuthSource | null | undefined, read: () => T, onServer: T): T {
  const subscribe = useCallback((listener: () => void) => source?.subscribe(listener) ?? (() => {}), [source])
  return useSyncExternalStore(subscribe, read, () => onServer)
}
