import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react'
import type { JsonSchema } from '../form/json-schema.ts'
import { useFaults } from '../form/check.ts'
import { parseJson, printJson, tryParseJson } from '../form/json-text.ts'
import { toSize } from '../parts/figures.ts'
import type { FieldFault } from './call-input.ts'
import { toTextFaults } from './text-faults.ts'

const CodeEditor = lazy(() => import('./code-editor.tsx').then((loaded) => ({ default: loaded.CodeEditor })))

interface JsonViewProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly schema: JsonSchema | null
  /** What the server found wrong. */
  readonly faults: readonly FieldFault[]
}

/** The body as the text that is sent. */
export function JsonView({ text, onChange, schema, faults }: JsonViewProps): ReactNode {
  const [isTabOurs, setTabOurs] = useState(false)
  const json = useMemo(() => tryParseJson(text), [text])
  const found = useFaults(schema, json)
  const marks = useMemo(() => toTextFaults(text, [...found, ...faults]), [text, found, faults])
  const rewrite = (indent: string): void => onChange(printJson(parseJson(text), indent))
  const plain = (
    <textarea
      className="input-plain"
      aria-label="JSON"
      spellCheck={false}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  )
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
      <Suspense fallback={plain}>
        <CodeEditor text={text} onChange={onChange} faults={marks} isTabOurs={isTabOurs} />
      </Suspense>
    </div>
  )
}

function stateOf(text: string, marks: readonly { message: string }[]): string {
  if (text.trim() === '') return 'no body'
  const [first] = marks
  if (first === undefined) return 'valid JSON'
  return marks.length === 1 ? first.message : `${first.message} (and ${marks.length - 1} more)`
}
