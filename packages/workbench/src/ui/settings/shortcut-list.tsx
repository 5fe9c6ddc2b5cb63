import type { ReactNode } from 'react'
import { FRAME_PAGES } from '../frame/pages.ts'
import { Keys } from '../components/keys.tsx'
import { SHORTCUTS } from '../shortcuts.ts'
import './shortcut-list.css'

const SHORTCUT_GROUPS: readonly { readonly where: string; readonly keys: Readonly<Record<string, string>> }[] = [
  ...SHORTCUTS,
  { where: 'Go to', keys: Object.fromEntries(FRAME_PAGES.map(({ keys, name }) => [keys, name])) },
]

/** All keyboard shortcuts. */
export function ShortcutList(): ReactNode {
  return (
    <div className="shortcuts">
      {SHORTCUT_GROUPS.map(({ where, keys }) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl>
            {Object.entries(keys).map(([key, does]) => (
              <div key={key}>
                <dt>{does}</dt>
                <dd>
                  <Keys of={key} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}
