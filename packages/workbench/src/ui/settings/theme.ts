import { createStore } from '@sdk/frontend'

/** Light or dark, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'theme'
const store = createStore<{ now: Theme }>({ now: readKept() })

/** The theme that was chosen; `public/theme.js` shows it before the first paint. A store, for `useSyncExternalStore`. */
export const theme = {
  snapshot: (): Theme => store.get().now,
  subscribe: store.subscribe,
  use(next: Theme): void {
    localStorage.setItem(KEY, next)
    store.patch({ now: next })
    show()
  },
  /** Switches between light and dark. */
  toggle(): void {
    theme.use(shown() === 'dark' ? 'light' : 'dark')
  },
}

/** What is shown now. */
export function shown(): 'light' | 'dark' {
  const { now } = store.get()
  if (now !== 'system') return now
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Follows the system's theme from now on, unless one was chosen. */
export function followSystem(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show)
}

function show(): void {
  document.documentElement.dataset['theme'] = shown()
}

function readKept(): Theme {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
