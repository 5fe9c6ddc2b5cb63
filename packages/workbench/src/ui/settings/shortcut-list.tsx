import type { ReactNode } from 'react'
import { Keys } from '../parts/keys.tsx'
import './shortcut-list.css'

const SHORTCUTS = [
  { keys: 'mod+k', does: 'Search and commands' },
  { keys: '?', does: 'Shortcuts' },
  { keys: 'g h', does: 'Home' },
  { keys: 'g r', does: 'Runs' },
  { keys: 'g e', does: 'Errors' },
  { keys: 'g m', does: 'Matrix' },
  { keys: 'g u', does: 'Users' },
  { keys: 'g s', does: 'Settings' },
  { keys: 'mod+Enter', does: 'Run what is on the page' },
  { keys: 'Escape', does: 'Cancel what runs' },
  { keys: 'j k', does: 'Next and previous in a list' },
] as const

/** What keys do, everywhere. */
export function ShortcutList(): ReactNode {
  return (
    <dl className="shortcuts">
      {SHORTCUTS.map(({ keys, does }) => (
        <div key={keys}>
          <dt>{does}</dt>
          <dd>
            <Keys of={keys} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
