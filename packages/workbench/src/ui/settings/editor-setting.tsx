import { useSyncExternalStore, type ReactNode } from 'react'
import { editor, EDITORS, type Editor } from '../components/editor.ts'

/** The editor that links to files open. */
export function EditorSetting(): ReactNode {
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
        <p className="hint">Files of problems, errors and traces open there.</p>
      </div>
    </div>
  )
}
