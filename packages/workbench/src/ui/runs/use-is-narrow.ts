import { useSyncExternalStore } from 'react'

const QUERY = '(max-width: 800px)'

/** Is the window so narrow that rows take two lines? */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(QUERY).matches)
}

function subscribe(watcher: () => void): () => void {
  const media = matchMedia(QUERY)
  media.addEventListener('change', watcher)
  return () => media.removeEventListener('change', watcher)
}
