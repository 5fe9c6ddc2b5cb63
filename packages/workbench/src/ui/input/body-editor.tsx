import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react'
import type { CodeEditor } from './code-editor.tsx'
import type { JsonSchema } from '../form/json-schema.ts'
import { useIssues } from '../form/check.ts'
import { parseJsonTree, printJson, tryParseJsonTree } from '../form/json-text.ts'
import { toSize } from '../components/format.ts'
import type { FieldIssue } from './call-input.ts'
import { toTextIssues } from './text-issues.ts'

/** The code editor, or a plain one if its code cannot be loaded because the dev server has stopped. */
const LazyCodeEditor = lazy<typeof CodeEditor>(() =>
  import('./code-editor.tsx').then(
    (loaded) => ({ default: loaded.CodeEditor }),
    () => ({ default: PlainEditor }),
  ),
)

interface BodyEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly schema: JsonSchema | null
  readonly issues: readonly FieldIssue[]
}

/** Edits the body as JSON text, exactly as it is sent. */
export function BodyEditor({ text, onChange, schema, issues }: BodyEditorProps): ReactNode {
  const [isTabOurs, setTabOurs] = useState(false)
  const json = useMemo(() => tryParseJsonTree(text), [text])
  const found = useIssues(schema, json)
  const marks = useMemo(() => toTextIssues(text, [...found, ...issues]), [text, found, issues])
  const rewrite = (indent: string): void => onChange(printJson(parseJsonTree(text), indent))
  return (
    <div className="input-json">
      <div className="input-bar">
        <button type="button" className="button small" disabled={json === undefined} onClick={() => rewrite('  ')}>
          Format
        </button>
        <button type="button" className="button small" disabled={json === undefined} onClick={() => rewrite('')}>
          Minify
        </button>
        <button type="button" className="button small" aria-pressed={isTabOurs} onClick={() => setTabOurs(!isTabOurs)}>
          Tab indents
        </button>
        <span className="input-state" role="status" data-bad={marks.length > 0 || undefined}>
          {stateOf(text, marks)}
        </span>
        <span className="input-size">{toSize(new TextEncoder().encode(text).length)}</span>
      </div>
      <Suspense fallback={<PlainEditor text={text} onChange={onChange} />}>
        <LazyCodeEditor text={text} onChange={onChange} issues={marks} isTabOurs={isTabOurs} />
      </Suspense>
    </div>
  )
}

function PlainEditor({ text, onChange }: Pick<BodyEditorProps, 'text' | 'onChange'>): ReactNode {
  return (
    <textarea
      className="input-plain"
      aria-label="JSON"
      spellCheck={false}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function stateOf(text: string, marks: readonly { message: string }[]): string {
  if (text.trim() === '') return 'no body'
  const [first] = marks
  if (first === undefined) return 'valid JSON'
  return marks.length === 1 ? first.message : `${first.message} (and ${marks.length - 1} more)`
}
