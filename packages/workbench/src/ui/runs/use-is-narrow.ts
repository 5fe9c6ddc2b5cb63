import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 800px)'

/** Is the window so narrow that rows take two lines? */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribeMedia, () => matchMedia(NARROW).matches)
}

function subscribeMedia(watcher: () => void): () => void {
  const media = matchMedia(NARROW)
  media.addEventListener('change', watcher)
  return () => media.removeEventListener('change', watcher)
}
