import { createStore } from '@sdk/frontend'

/** The supported editors by their URL scheme. */
export const EDITORS = {
  vscode: 'VS Code',
  cursor: 'Cursor',
  zed: 'Zed',
  webstorm: 'WebStorm',
  none: 'None',
} as const

/** The key of an editor in `EDITORS`. */
export type Editor = keyof typeof EDITORS

const EDITOR_KEY = 'workbench:editor'
const editorStore = createStore<{ now: Editor }>({ now: readStoredEditor() })

/** The editor in which links open, as a store for `useSyncExternalStore`. */
export const editor = {
  snapshot: (): Editor => editorStore.get().now,
  subscribe: editorStore.subscribe,
  use(next: Editor): void {
    localStorage.setItem(EDITOR_KEY, next)
    editorStore.patch({ now: next })
  },
}

/** A location in a file. Relative paths are relative to the project. */
export interface SourceLocation {
  readonly file: string
  /** The line number, starting at 1. */
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** Returns the link that opens a location in an editor, or null if there is no editor or the project is unknown. */
export function toEditorLink(
  name: Editor,
  root: string,
  { file, line = 1, column = 1 }: SourceLocation,
): string | null {
  if (name === 'none') return null
  const isWhole = /^(?:\/|[A-Za-z]:[\\/])/.test(file)
  if (!isWhole && root === '') return null
  const slashed = (isWhole ? file : `${root}/${file}`).replaceAll('\\', '/')
  const path = encodeURI(slashed.startsWith('/') ? slashed : `/${slashed}`)
  if (name === 'webstorm') return `webstorm://open?file=${encodeURIComponent(slashed)}&line=${line}&column=${column}`
  return `${name}://file${path}:${line}:${column}`
}

function readStoredEditor(): Editor {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(EDITOR_KEY)
  return kept !== null && kept in EDITORS ? (kept as Editor) : 'vscode'
}
