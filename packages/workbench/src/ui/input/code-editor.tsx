import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Compartment, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef, type ReactNode } from 'react'
import type { TextIssue } from './text-issues.ts'

interface CodeEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly issues: readonly TextIssue[]
  /** Whether Tab indents the code. Otherwise, it moves the focus. */
  readonly isTabOurs: boolean
}

/** A JSON editor with highlighting, folding and markers. It is large and should be imported on demand. */
export function CodeEditor({ text, onChange, issues, isTabOurs }: CodeEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<ReturnType<typeof createJsonEditor> | null>(null)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useEffect(() => {
    if (host.current === null) return undefined
    const made = createJsonEditor(host.current, (next) => latest.current(next))
    view.current = made
    return () => made.close()
  }, [])
  useEffect(() => view.current?.setText(text), [text])
  useEffect(() => view.current?.setIssues(issues), [issues])
  useEffect(() => view.current?.setTab(isTabOurs), [isTabOurs])
  return <div className="input-code" ref={host} />
}

/**
 * Creates an editor in an element's shadow root. There, its styles are adopted style sheets; in the page itself, they
 * would be a `<style>` element, which the CSP forbids.
 */
function createJsonEditor(host: HTMLElement, onChange: (text: string) => void) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const tab = new Compartment()
  // The last text that was set, to detect changes by the user. The editor normalizes line breaks to `\n`.
  let given = ''
  const watch = EditorView.updateListener.of((update) => {
    const text = update.state.doc.toString()
    if (!update.docChanged || text === given.replaceAll(/\r\n?/g, '\n')) return
    given = text
    onChange(text)
  })
  const view = new EditorView({
    parent: root,
    root,
    extensions: [tab.of([]), watch, EditorView.contentAttributes.of({ 'aria-label': 'JSON' }), EXTENSIONS],
  })
  return {
    setText(text: string): void {
      if (text === given) return
      given = text
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    setIssues(issues: readonly TextIssue[]): void {
      const end = view.state.doc.length
      const marks = issues.filter(({ to }) => to <= end).map((issue) => ({ ...issue, severity: 'error' as const }))
      view.dispatch(setDiagnostics(view.state, marks))
    },
    setTab: (isOurs: boolean): void =>
      view.dispatch({ effects: tab.reconfigure(isOurs ? keymap.of([indentWithTab]) : []) }),
    close: (): void => view.destroy(),
  }
}

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-word)' },
  { tag: [tags.punctuation, tags.separator, tags.brace, tags.squareBracket], color: 'var(--quiet)' },
])

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--field)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--hover) 50%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--busy-tint)', outline: '1px solid var(--busy)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--hover)', border: '0', color: 'var(--quiet)' },
  '.cm-tooltip': { backgroundColor: 'var(--card)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-panels': { backgroundColor: 'var(--field)', color: 'var(--ink)' },
})

/**
 * A handler that replaces a selection when the user types over it. By default, Chromium copies the selection's style
 * into a `style` attribute, which the CSP forbids.
 */
const TYPE_OVER = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== 'insertText' || event.data === null || event.isComposing) return false
    if (view.state.selection.main.empty) return false
    event.preventDefault()
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})

const EXTENSIONS: Extension = [
  TYPE_OVER,
  json(),
  history(),
  lineNumbers(),
  codeFolding(),
  foldGutter(),
  lintGutter(),
  bracketMatching(),
  indentOnInput(),
  highlightActiveLine(),
  syntaxHighlighting(COLOURS),
  THEME,
  EditorView.lineWrapping,
  keymap.of([
    // Mod-Enter runs the route, as elsewhere in the workbench.
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    ...historyKeymap,
    ...foldKeymap,
    ...lintKeymap,
  ]),
]
