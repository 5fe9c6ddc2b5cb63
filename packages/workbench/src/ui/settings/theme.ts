import { createStore } from '@sdk/frontend'

/** Light, dark, or the system's theme. */
export type Theme = 'system' | 'light' | 'dark'

const THEME_KEY = 'theme'
const themeStore = createStore<{ now: Theme }>({ now: readStoredTheme() })

/** The chosen theme, as a store for `useSyncExternalStore`. `public/theme.js` applies it before the first paint. */
export const theme = {
  snapshot: (): Theme => themeStore.get().now,
  subscribe: themeStore.subscribe,
  use(next: Theme): void {
    localStorage.setItem(THEME_KEY, next)
    themeStore.patch({ now: next })
    applyTheme()
  },
  /** Switches between light and dark. */
  toggle(): void {
    theme.use(shownTheme() === 'dark' ? 'light' : 'dark')
  },
}

/** Returns the theme that is currently visible. */
export function shownTheme(): 'light' | 'dark' {
  const { now } = themeStore.get()
  if (now !== 'system') return now
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Follows the system's theme unless the user has chosen one. */
export function followSystem(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme)
}

function applyTheme(): void {
  document.documentElement.dataset['theme'] = shownTheme()
}

function readStoredTheme(): Theme {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(THEME_KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
