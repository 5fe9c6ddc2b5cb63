import { useState, type ReactNode } from 'react'
import type { JsonSchema } from '../form/json-schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { Tabs } from '../components/tabs.tsx'
import type { CallInput, FieldIssue } from './call-input.ts'
import { ExamplesView } from './examples-view.tsx'
import { HeadersEditor } from './headers-view.tsx'
import { BodyEditor } from './json-view.tsx'
import { NoSchema } from './no-schema.tsx'
import { useFirstInput } from './use-first-input.ts'
import './input.css'

export type { JsonSchema } from '../form/json-schema.ts'

interface InputEditorProps {
  /** The route's name: typed input and examples are stored by it. */
  readonly route: string
  /** The schema of the body; null where it is not known. */
  readonly schema: JsonSchema | null
  /** Why the schema is not known, where the route has one. @default null */
  readonly note?: string | null
  readonly value: CallInput
  readonly onChange: (next: CallInput) => void
  /** What the server found wrong with the last call. */
  readonly issues: readonly FieldIssue[]
}

type TabName = 'Form' | 'JSON' | 'Examples' | 'Headers'

/** What a call is made with: as a form, as JSON, by examples, and its headers. */
export function InputEditor({ route, schema, note, value, onChange, issues }: InputEditorProps): ReactNode {
  const [chosen, choose] = useState<TabName>('Form')
  useFirstInput({ route, schema, value, onChange })
  const current = useCurrentIssues(issues, value.body)
  const setBody = (body: string): void => onChange({ ...value, body })

  const json = <BodyEditor text={value.body} onChange={setBody} schema={schema} issues={current} />
  const form =
    schema === null ? (
      <NoSchema route={route} note={note}>
        {json}
      </NoSchema>
    ) : (
      <SchemaForm schema={schema} value={value.body} onChange={setBody} issues={current} label="Input" />
    )
  return (
    <div className="input-editor">
      <Tabs
        label="Input"
        selected={chosen}
        onSelect={choose}
        tabs={[
          { name: 'Form', view: form },
          { name: 'JSON', view: json },
          {
            name: 'Examples',
            view: (
              <ExamplesView
                route={route}
                schema={schema}
                value={value}
                onChoose={(next) => {
                  onChange(next)
                  choose(schema === null ? 'JSON' : 'Form')
                }}
              />
            ),
          },
          {
            name: 'Headers',
            count: value.headers.length,
            view: <HeadersEditor headers={value.headers} onChange={(headers) => onChange({ ...value, headers })} />,
          },
        ]}
      />
    </div>
  )
}

const NO_ISSUES: readonly FieldIssue[] = []

/** Drops the server's issues once the body is edited, as they are about what was sent. */
function useCurrentIssues(issues: readonly FieldIssue[], body: string): readonly FieldIssue[] {
  const words = JSON.stringify(issues)
  const [spoken, setSpoken] = useState({ words, issues, body })
  if (spoken.words !== words) setSpoken({ words, issues, body })
  return spoken.words === words && spoken.body === body ? spoken.issues : NO_ISSUES
}
