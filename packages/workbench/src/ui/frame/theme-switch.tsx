import { useSyncExternalStore, type ReactNode } from 'react'
import Moon from 'lucide-react/icons/moon'
import Sun from 'lucide-react/icons/sun'
import { shownTheme, theme } from '../settings/theme.ts'

/** Light or dark by one click. */
export function ThemeSwitch(): ReactNode {
  const isDark = useSyncExternalStore(theme.subscribe, shownTheme) === 'dark'
  const label = `Use the ${isDark ? 'light' : 'dark'} theme`
  return (
    <button type="button" className="button icon" aria-label={label} title={label} onClick={theme.toggle}>
      {isDark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </button>
  )
}
