import { type ReactNode, useSyncExternalStore } from 'react'
import { RecordingSettings } from './recording-form.tsx'
import { ShortcutList } from './shortcut-list.tsx'
import { editor, EDITORS, type Editor } from '../components/editor.ts'
import { theme, type Theme } from './theme.ts'
import './settings.css'

/** The settings page: theme, editor, recording, and keyboard shortcuts. */
export function SettingsPage(): ReactNode {
  return (
    <div className="page settings">
      <header className="page-head">
        <div>
          <h1>Settings</h1>
          <p>The theme and editor are stored in this browser; recording settings are stored in the project.</p>
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

function EditorSetting(): ReactNode {
  const now = useSyncExternalStore(editor.subscribe, editor.snapshot)
  return (
    <div className="setting">
      <label htmlFor="editor">Editor</label>
      <div>
        <select id="editor" value={now} onChange={(event) => editor.use(event.target.value as Editor)}>
          {Object.entries(EDITORS).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <p className="hint">Files in problems, errors and traces open in this editor.</p>
      </div>
    </div>
  )
}

const THEMES = { system: 'System', light: 'Light', dark: 'Dark' }

function ThemeSetting(): ReactNode {
  const now = useSyncExternalStore(theme.subscribe, theme.snapshot)
  return (
    <fieldset className="setting">
      <legend>Theme</legend>
      <div className="choices">
        {Object.entries(THEMES).map(([value, title]) => (
          <label key={value} className="check">
            <input type="radio" name="theme" checked={now === value} onChange={() => theme.use(value as Theme)} />
            {title}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
