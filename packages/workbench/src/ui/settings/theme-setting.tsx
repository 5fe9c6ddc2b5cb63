import { useSyncExternalStore, type ReactNode } from 'react'
import { theme } from './theme.ts'

const THEMES = [
  { value: 'system', title: 'System' },
  { value: 'light', title: 'Light' },
  { value: 'dark', title: 'Dark' },
] as const

/** Light, dark, or as the system has it. */
export function ThemeSetting(): ReactNode {
  const now = useSyncExternalStore(theme.subscribe, theme.snapshot)
  return (
    <fieldset className="setting">
      <legend>Theme</legend>
      <div className="choices">
        {THEMES.map(({ value, title }) => (
          <label key={value} className="check">
            <input type="radio" name="theme" checked={now === value} onChange={() => theme.use(value)} />
            {title}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
