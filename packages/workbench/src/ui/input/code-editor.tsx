import { useEffect, useRef, type ReactNode } from 'react'
import { createJsonEditor, type JsonEditor } from './code-view.ts'
import type { TextIssue } from './text-issues.ts'

interface CodeEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly issues: readonly TextIssue[]
  /** Does Tab indent? Otherwise it leaves the field, as usual. */
  readonly isTabOurs: boolean
}

/** JSON with colours, folding and marks. Heavy: import it when it is needed. */
export function CodeEditor({ text, onChange, issues, isTabOurs }: CodeEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<JsonEditor | null>(null)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useEffect(() => {
    if (host.current === null) return undefined
    const made = createJsonEditor(host.current, { label: 'JSON', onChange: (next) => latest.current(next) })
    view.current = made
    return () => made.close()
  }, [])
  useEffect(() => view.current?.setText(text), [text])
  useEffect(() => view.current?.setIssues(issues), [issues])
  useEffect(() => view.current?.setTab(isTabOurs), [isTabOurs])
  return <div className="input-code" ref={host} />
}
