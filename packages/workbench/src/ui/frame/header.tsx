import { type ReactNode, useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import GitBranch from 'lucide-react/icons/git-branch'
import MenuIcon from 'lucide-react/icons/menu'
import Search from 'lucide-react/icons/search'
import { useIsConnected } from '../data/use-events.ts'
import type { ManifestResult } from '../data/use-manifest.ts'
import { links } from '../links.ts'
import { Keys } from '../components/keys.tsx'
import { Pill } from '../components/pill.tsx'
import { toConnectionStatus } from './connection.ts'
import { IdentitySwitch } from './identity-switch.tsx'
import Moon from 'lucide-react/icons/moon'
import Sun from 'lucide-react/icons/sun'
import { shownTheme, theme } from '../settings/theme.ts'

interface HeaderProps {
  readonly answer: ManifestResult
  readonly onMenu: () => void
  readonly onSearch: () => void
}

/** The header: the project, the server's status, and the identity used for calls. */
export function Header({ answer, onMenu, onSearch }: HeaderProps): ReactNode {
  const { text, tone } = toConnectionStatus({ isConnected: useIsConnected(), ...answer })
  const status = <Pill tone={tone}>{text}</Pill>
  const { manifest } = answer
  return (
    <header className="top">
      <button type="button" className="button icon narrow-only" aria-label="Menu" onClick={onMenu}>
        <MenuIcon size={17} aria-hidden />
      </button>
      <span className="cut top-project narrow-only">{manifest?.project ?? 'Workbench'}</span>
      {manifest !== undefined && manifest.branch !== null && (
        <span className="branch quiet small wide-only">
          <GitBranch size={13} aria-hidden />
          <span className="cut">{manifest.branch}</span>
        </span>
      )}
      <span role="status">{text === 'Build failed' ? <Link href={links.home}>{status}</Link> : status}</span>
      <div className="top-end">
        <button type="button" className="button quiet search" onClick={onSearch}>
          <Search size={15} aria-hidden />
          <span className="search-text">Search</span>
          <span className="wide-only" aria-hidden>
            <Keys of="mod+k" />
          </span>
        </button>
        <IdentitySwitch />
        <ThemeSwitch />
      </div>
    </header>
  )
}

function ThemeSwitch(): ReactNode {
  const isDark = useSyncExternalStore(theme.subscribe, shownTheme) === 'dark'
  const label = `Use the ${isDark ? 'light' : 'dark'} theme`
  return (
    <button type="button" className="button icon" aria-label={label} title={label} onClick={theme.toggle}>
      {isDark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </button>
  )
}
