/** Shows both themes from one style sheet: `light-dark()` follows `color-scheme`, which follows this. */
import { useState } from 'react'

const KEY = 'tasks.theme'

/** `system` is what the device says. */
export type Theme = 'system' | 'light' | 'dark'

/** The theme that was chosen last. */
function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Shows the page in a theme. */
export function applyTheme(theme: Theme = readTheme()): void {
  document.documentElement.dataset['theme'] = theme
}

/** The theme, and the way to choose another. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme)
  const choose = (next: Theme): void => {
    localStorage.setItem(KEY, next)
    applyTheme(next)
    setTheme(next)
  }
  return [theme, choose]
}
