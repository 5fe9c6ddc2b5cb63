import { createContext, useContext, type Context } from 'react'
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

/** Filled by `AuthProvider`. */
export const AuthContext: Context<AuthSource | null> = createContext<AuthSource | null>(null)

/** Hears of a cache; returns the way to stop. */
type CacheWatch = (queries: QueryClientLike) => () => void

/** Filled by `AuthProvider`, which drops from every cache below it what belongs to users who have left. */
export const CacheContext: Context<CacheWatch | null> = createContext<CacheWatch | null>(null)

/** The client and the query client of the nearest `SdkProvider`. */
export function useSdk(): Sdk {
  const sdk = useContext(SdkContext)
  if (sdk === null) throw new TypeError('there is no <SdkProvider> above this component')
  return sdk
}
