import { createContext, use, useSyncExternalStore, type ReactNode } from 'react'
import { editor, EDITORS, toEditorLink, type SourceLocation } from './editor.ts'

/** The absolute path of the project's folder, or an empty string while it is unknown. */
export const ProjectRoot: React.Context<string> = createContext('')

/** A location such as `file:line:column`. It is a link to the chosen editor, or plain text if no editor is chosen. */
export function EditorLink({ file, line, column }: SourceLocation): ReactNode {
  const name = useSyncExternalStore(editor.subscribe, editor.snapshot)
  const href = toEditorLink(name, use(ProjectRoot), { file, line, column })
  const text = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':')
  if (href === null) return <span className="path">{text}</span>
  return (
    <a className="path link" href={href} title={`Open in ${EDITORS[name]}`}>
      {text}
    </a>
  )
}
