import { createStore } from '@sdk/frontend'

/** Light or dark, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark'

const THEME_KEY = 'theme'
const themeStore = createStore<{ now: Theme }>({ now: readStoredTheme() })

/** The theme that was chosen; `public/theme.js` shows it before the first paint. A store, for `useSyncExternalStore`. */
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

/** Returns the visible theme. */
export function shownTheme(): 'light' | 'dark' {
  const { now } = themeStore.get()
  if (now !== 'system') return now
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Follows the system's theme from now on, unless one was chosen. */
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
