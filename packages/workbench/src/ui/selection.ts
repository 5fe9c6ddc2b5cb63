import { useSyncExternalStore } from 'react'

/** The route that the address names; null on the first page. */
export function useSelection(): string | null {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  return hash.startsWith('#/') && hash.length > 2 ? decodeURIComponent(hash.slice(2)) : null
}

/** The address of a route's page. */
export function linkTo(route: string): string {
  return `#/${encodeURIComponent(route)}`
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}
