import { createContext, useCallback, useContext, useSyncExternalStore, type Context } from 'react'
import type { AuthSource, HttpClient, UrlOptions } from '@sdk/frontend'

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
  /** Live data, if the provider has it. */
  readonly live?: LiveData | undefined
}

/** Live data for the hooks. `@sdk/react/live` exports it, so that other apps do not load it. */
export interface LiveData {
  /**
   * Subscribes to the data of a query while the component is mounted, if its options contain `live: true`. Returns the
   * settings for TanStack Query.
   */
  use<T extends LiveSettings>(query: object, input: LiveInput, settings: T): T & { isLive: boolean }
  /**
   * Keeps the optimistic change of a successful request until the live data contains it, and removes the one of a failed
   * request. Returns the queries to fetch, or false if the data is not live.
   */
  hold<T>(query: object, isSuccess: boolean, end: (isSuccess: boolean) => T[]): T[] | false
}

/** The request of a query. */
export interface LiveInput {
  readonly client: HttpClient
  readonly queryClient: QueryClientLike
  readonly route: string
  readonly options: UrlOptions & { live?: boolean | undefined }
}

/** The settings of a query for TanStack Query. */
export interface LiveSettings {
  readonly enabled: boolean
  readonly queryFn: (context: never) => unknown
  /** Returns the query parameters of the next page. Undefined for a query without pages. */
  readonly getNextPageParam?: (page: unknown, pages: unknown[]) => unknown
}

/** A client whose mutations with `offline: true` wait for the server. `@sdk/react/offline` creates it. */
export interface OfflineClient extends HttpClient {
  /** Rejects with `OUTBOX_NOT_EMPTY` if mutations wait. With `discard`, removes them instead. */
  leave(options?: { discard?: boolean }): Promise<void>
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
  if (!sdk) throw new TypeError('@sdk/react hooks must be used within <SdkProvider>')
  return sdk
}

/**
 * Returns the id of a client's user, null if no user is signed in, or undefined on a server or while auth is loading.
 */
export function useIdentity(client: HttpClient): string | null | undefined {
  return useSource(client.options.auth, () => identityOf(client))
}

/** Returns the id of a client's user, for use outside components. */
export function identityOf({ options }: HttpClient): string | null | undefined {
  const auth = options.auth?.snapshot()
  return auth?.loading ? undefined : (auth?.user?.id ?? null)
}

/** Reads a value from a source. `onServer` is the value during server rendering and hydration. */
export function useSource<T>(source: AuthSource | null | undefined, read: () => T, onServer?: T): T {
  const subscribe = useCallback((listener: () => void) => source?.subscribe(listener) ?? (() => {}), [source])
  return useSyncExternalStore(subscribe, read, () => onServer as T)
}
