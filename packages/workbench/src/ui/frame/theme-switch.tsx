import { useEffect, useState, type ReactNode } from 'react'

type Theme = 'light' | 'dark'

/** Light or dark: as the system has it, until somebody says otherwise. */
export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState<Theme>(initialTheme)
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  const other = theme === 'light' ? 'dark' : 'light'
  return (
    <button
      type="button"
      className="icon"
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
      onClick={() => {
        localStorage.setItem('theme', other)
        setTheme(other)
      }}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
      </svg>
    </button>
  )
}

function initialTheme(): Theme {
  const kept = localStorage.getItem('theme')
  if (kept === 'light' || kept === 'dark') return kept
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
