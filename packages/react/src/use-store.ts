import { useSyncExternalStore } from 'react'
import type { Store } from '@sdk/frontend'

/** The value of a store, rendered anew when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get)
}
