import { createElement } from './element.ts'

const ICON =
  '<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/></svg>'

/** Adds the button that switches between light and dark. */
export function addThemeButton(tools: HTMLElement): void {
  const button = createElement('button', { type: 'button', className: 'theme', innerHTML: ICON })
  const tell = (): void => void (button.ariaLabel = isDark() ? 'Use light theme' : 'Use dark theme')
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    document.documentElement.style.colorScheme = theme
    localStorage.setItem('theme', theme)
    tell()
  })
  tell()
  tools.append(button)
}

function isDark(): boolean {
  const own = document.documentElement.style.colorScheme
  return own === '' ? matchMedia('(prefers-color-scheme: dark)').matches : own === 'dark'
}
