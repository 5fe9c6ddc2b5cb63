import type { ReactNode } from 'react'
import type { CallInput, FieldFault } from './call-input.ts'

/** A JSON Schema, as `GET /agent/{name}` and OpenAPI tell it. */
export type JsonSchema = Readonly<Record<string, unknown>>

interface InputEditorProps {
  /** The route's name: what was typed and the examples are kept by it. */
  readonly route: string
  /** Of the body; null: none is known. */
  readonly schema: JsonSchema | null
  readonly value: CallInput
  readonly onChange: (next: CallInput) => void
  /** What the server found wrong with the last call. */
  readonly faults: readonly FieldFault[]
}

/** What a call is made with: as a form, as JSON, by examples, and its headers. */
export function InputEditor({ value, onChange }: InputEditorProps): ReactNode {
  return (
    <section className="input" aria-label="Input">
      <textarea
        aria-label="JSON"
        spellCheck={false}
        value={value.body}
        onChange={(event) => onChange({ ...value, body: event.target.value })}
      />
    </section>
  )
}
