import type { ReactNode } from 'react'
import { EditorSetting } from './editor-setting.tsx'
import { RecordingSettings } from './recording-settings.tsx'
import { ShortcutList } from './shortcut-list.tsx'
import { ThemeSetting } from './theme-setting.tsx'
import './settings.css'

/** How the workbench looks, what it keeps, and which keys it knows. */
export function SettingsPage(): ReactNode {
  return (
    <div className="page settings">
      <header className="page-head">
        <div>
          <h1>Settings</h1>
          <p>Theme and editor are stored in this browser, recording settings in the project.</p>
        </div>
      </header>
      <section aria-labelledby="look">
        <h2 id="look">This browser</h2>
        <ThemeSetting />
        <EditorSetting />
      </section>
      <RecordingSettings />
      <section aria-labelledby="keys">
        <h2 id="keys">Keyboard</h2>
        <ShortcutList />
      </section>
    </div>
  )
}
