import { useState, type ReactNode, useEffect, useRef } from 'react'
import type { JsonSchema } from '../form/json-schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { Tabs } from '../components/tabs.tsx'
import type { CallInput, FieldIssue } from './call-input.ts'
import { ExamplesView } from './examples-view.tsx'
import { HeadersEditor } from './headers-editor.tsx'
import { BodyEditor } from './body-editor.tsx'
import { printJson } from '../form/json-text.ts'
import { sampleOf } from '../form/sample.ts'
import { shapeOf } from '../form/shape.ts'
import { storeTypedInput, readTypedInput } from './stored-input.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { shortName } from '../components/route-name.tsx'
import './input.css'

export type { JsonSchema } from '../form/json-schema.ts'

interface InputEditorProps {
  /** The route's name, which is the key for storing typed input and examples. */
  readonly route: string
  /** The body's schema, or null if it is unknown. */
  readonly schema: JsonSchema | null
  /** The reason why the route's schema is not available. @default null */
  readonly note?: string | null
  readonly value: CallInput
  readonly onChange: (next: CallInput) => void
  readonly issues: readonly FieldIssue[]
  /** The chat, for agents that take a conversation. @default none */
  readonly chat?: ReactNode
}

type TabName = 'Chat' | 'Form' | 'JSON' | 'Examples' | 'Headers'

/** Edits the input for a call: its body as a form, as JSON or from examples, and its headers. */
export function InputEditor(props: InputEditorProps): ReactNode {
  const { route, schema, note = null, value, onChange, issues, chat = null } = props
  const [chosen, choose] = useState<TabName>(chat === null ? 'Form' : 'Chat')
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
          ...(chat === null ? [] : [{ name: 'Chat' as const, view: chat }]),
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

/** Returns the server's issues until the body is edited, since they refer to the body that was sent. */
function useCurrentIssues(issues: readonly FieldIssue[], body: string): readonly FieldIssue[] {
  const words = JSON.stringify(issues)
  const [spoken, setSpoken] = useState({ words, issues, body })
  if (spoken.words !== words) setSpoken({ words, issues, body })
  return spoken.words === words && spoken.body === body ? spoken.issues : NO_ISSUES
}

/**
 * Sets a route's initial input to the input last typed in this tab or to a sample from the schema, and stores changes.
 */
function useFirstInput({ route, schema, value, onChange }: Omit<InputEditorProps, 'note' | 'issues'>): void {
  const seen = useRef<{ route: string; hasSchema: boolean; value: CallInput } | null>(null)
  useEffect(() => {
    const before = seen.current?.route === route ? seen.current : null
    seen.current = { route, hasSchema: schema !== null, value }
    const hasNews = before === null || (schema !== null && !before.hasSchema)
    const first = hasNews && value.body === '' ? (readTypedInput(route) ?? firstInput(schema, value)) : null
    if (first !== null) onChange(first)
    else if (before !== null && before.value !== value) storeTypedInput(route, value)
  }, [route, schema, value, onChange])
}

function firstInput(schema: JsonSchema | null, value: CallInput): CallInput | null {
  const json = schema === null ? undefined : sampleOf(shapeOf(schema, schema), 'first')
  return json === undefined ? null : { ...value, body: printJson(json) }
}

/** Edits arbitrary JSON for a route without a schema, and explains how to get a form. */
function NoSchema({ route, note, children }: { route: string; note: string | null; children: ReactNode }): ReactNode {
  const input = 'input: z.object({ text: z.string() }),\n  handler: (ctx, input) => …,'
  const code = route.startsWith('POST /agent/')
    ? `export default createAgent('${shortName(route)}', {\n  ${input}\n})`
    : `.on('${route}', {\n  ${input}\n})`
  if (note !== null) {
    return (
      <div className="input-free">
        <p className="notice">{note}</p>
        {children}
      </div>
    )
  }
  return (
    <div className="input-free">
      {children}
      <p className="quiet">
        This route accepts any JSON. Add a schema to get a form here, and to validate input before your handler runs.
      </p>
      <CodeBlock title="Add a schema" code={code} />
    </div>
  )
}
