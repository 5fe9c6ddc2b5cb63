/** Shows both themes in one style sheet: `light-dark()` follows `color-scheme`, which this module sets. */
import { useState } from 'react'

const KEY = 'tasks.theme'

/** `system` follows the setting of the device. */
export type Theme = 'system' | 'light' | 'dark'

/** Returns the theme that was chosen last. */
function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Applies a theme to the page. */
export function applyTheme(theme: Theme = readTheme()): void {
  document.documentElement.dataset['theme'] = theme
}

/** Returns the theme and a function to change it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme)
  const choose = (next: Theme): void => {
    localStorage.setItem(KEY, next)
    applyTheme(next)
    setTheme(next)
  }
  return [theme, choose]
}
