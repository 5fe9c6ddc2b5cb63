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
import type { TextIssue } from './text-issues.ts'

/** A living editor. */
export interface JsonEditor {
  setText(text: string): void
  setIssues(issues: readonly TextIssue[]): void
  setTab(isOurs: boolean): void
  close(): void
}

interface JsonEditorOptions {
  readonly label: string
  readonly onChange: (text: string) => void
}

/**
 * Puts an editor into a shadow root of an element. There its styles are adopted style sheets; in the page itself they
 * would be a `<style>`, which the CSP forbids.
 */
export function createJsonEditor(host: HTMLElement, { label, onChange }: JsonEditorOptions): JsonEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const tab = new Compartment()
  // The editor changes line ends to `\n`: the given text is kept, to tell whether the user has changed it.
  let given = ''
  const watch = EditorView.updateListener.of((update) => {
    const text = update.state.doc.toString()
    if (!update.docChanged || text === normalizeLineEnds(given)) return
    given = text
    onChange(text)
  })
  const view = new EditorView({
    parent: root,
    root,
    extensions: [tab.of([]), watch, EditorView.contentAttributes.of({ 'aria-label': label }), EXTENSIONS],
  })
  return {
    setText(text) {
      if (text === given) return
      given = text
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    setIssues(issues) {
      const end = view.state.doc.length
      const marks = issues.filter(({ to }) => to <= end).map((issue) => ({ ...issue, severity: 'error' as const }))
      view.dispatch(setDiagnostics(view.state, marks))
    },
    setTab: (isOurs) => view.dispatch({ effects: tab.reconfigure(isOurs ? keymap.of([indentWithTab]) : []) }),
    close: () => view.destroy(),
  }
}

function normalizeLineEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
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

/** Chromium copies the style of replaced text into a `style` attribute, which the CSP forbids. */
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
    // Mod-Enter runs the route, as everywhere in the workbench.
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    ...historyKeymap,
    ...foldKeymap,
    ...lintKeymap,
  ]),
]
