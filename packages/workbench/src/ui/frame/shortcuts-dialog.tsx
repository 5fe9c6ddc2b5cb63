import type { ReactNode } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { ShortcutList } from '../settings/shortcut-list.tsx'

/** What keys do. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <ShortcutList />
    </Dialog>
  )
}
