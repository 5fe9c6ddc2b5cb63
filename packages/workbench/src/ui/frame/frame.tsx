import { useEffect, useState, type ReactNode, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import type { Manifest } from '../../manifest.ts'
import type { ManifestResult } from '../data/use-manifest.ts'
import { ConfirmDialog } from '../components/confirm-button.tsx'
import { useModal, Dialog } from '../components/dialog.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { CLEAR_RUNS, useClearRuns } from '../settings/clear-runs.tsx'
import { isLinkRequired } from './connection.ts'
import { Header } from './header.tsx'
import { NewLinkNeeded } from './no-manifest.tsx'
import { LogDock } from './log-dock.tsx'
import { FRAME_PAGES } from './pages.ts'
import { Palette } from './palette/palette.tsx'
import { Sidebar } from './sidebar.tsx'
import { ShortcutList } from '../settings/shortcut-list.tsx'
import { toasts } from '../components/toast.ts'
import './frame.css'

type OpenOverlay = 'palette' | 'shortcuts' | 'drawer' | 'clear' | null

/** The layout that surrounds every page. */
export function AppFrame({ answer, children }: { answer: ManifestResult; children: ReactNode }): ReactNode {
  const { manifest, error } = answer
  const [location, go] = useLocation()
  const [opened, setOpened] = useState<OpenOverlay>(null)
  const clearRuns = useClearRuns()
  const close = (): void => setOpened(null)
  const project = manifest?.project
  useEffect(() => {
    document.title = project === undefined ? 'Workbench' : `${project} · Workbench`
  }, [project])
  useHotkeys({
    'mod+k': () => setOpened('palette'),
    '?': () => setOpened('shortcuts'),
    ...Object.fromEntries(FRAME_PAGES.map(({ keys, href }) => [keys, () => go(href)])),
  })
  return (
    <div className="frame">
      <a className="skip" href="#page">
        Skip to content
      </a>
      <div className="side wide-only">
        <Sidebar manifest={manifest} />
      </div>
      <div className="body">
        <Header answer={answer} onMenu={() => setOpened('drawer')} onSearch={() => setOpened('palette')} />
        <main className="inset" id="page" tabIndex={-1}>
          {manifest !== undefined && isLinkRequired(error) && <NewLinkNeeded />}
          {children}
        </main>
        <LogDock />
      </div>
      {opened === 'drawer' && <Drawer key={location} manifest={manifest} onClose={close} />}
      {opened === 'shortcuts' && (
        <Dialog title="Keyboard shortcuts" onClose={close}>
          <ShortcutList />
        </Dialog>
      )}
      {opened === 'clear' && <ConfirmDialog {...CLEAR_RUNS} onConfirm={clearRuns} onClose={close} />}
      {opened === 'palette' && (
        <Palette
          manifest={manifest}
          dialogs={{ onShortcuts: () => setOpened('shortcuts'), onClearRuns: () => setOpened('clear') }}
          onClose={close}
        />
      )}
      <Toasts />
    </div>
  )
}

/** The sidebar in narrow windows, which covers the page until an item is chosen. */
function Drawer({ manifest, onClose }: { manifest: Manifest | undefined; onClose: () => void }): ReactNode {
  const modal = useModal()
  return (
    <dialog
      className="drawer"
      ref={modal}
      aria-label="Menu"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget || (event.target as HTMLElement).closest('a') !== null) onClose()
      }}
    >
      <Sidebar manifest={manifest} />
    </dialog>
  )
}

/** The toasts that are currently visible. */
function Toasts(): ReactNode {
  const now = useSyncExternalStore(toasts.subscribe, toasts.snapshot)
  return (
    <div className="toasts" role="status">
      {now.map(({ id, text, tone }) => (
        <p key={id} className="toast" data-tone={tone}>
          {text}
        </p>
      ))}
    </div>
  )
}
