import { useId, type ReactNode, useState } from 'react'
import type { JsonSchema } from '../input/input-editor.tsx'
import type { Parameter } from './openapi-document.ts'

type TextValues = Readonly<Record<string, string>>

interface ParameterFieldsProps {
  readonly title: string
  readonly parameters: readonly Parameter[]
  readonly values: TextValues
  readonly onChange: (next: TextValues) => void
  readonly issues: ReadonlyMap<string, string>
  /** Whether the fields are collapsed until the user opens them or one has a value. @default false */
  readonly isFolded?: boolean
}

/** Fields for parameters. Empty parameters are not sent. */
export function ParameterFields(props: ParameterFieldsProps): ReactNode {
  const { title, parameters, values, onChange, issues, isFolded = false } = props
  if (parameters.length === 0) return null
  const fields = parameters.map((parameter) => (
    <ParameterField
      key={parameter.name}
      parameter={parameter}
      value={values[parameter.name] ?? ''}
      issue={issues.get(parameter.name)}
      onChange={(text) => onChange(withValue(values, parameter.name, text))}
    />
  ))
  if (!isFolded)
    return (
      <fieldset className="parameters">
        <legend>{title}</legend>
        {fields}
      </fieldset>
    )
  const used = parameters.filter(({ name }) => values[name]).length
  return (
    <details className="parameters">
      <summary>
        {title} <span className="count">{used > 0 ? `${used} of ${parameters.length}` : parameters.length}</span>
      </summary>
      {fields}
    </details>
  )
}

/** Sets a value. Empty values are removed, since `?done=` differs from omitting `done`. */
function withValue(values: TextValues, name: string, text: string): TextValues {
  return Object.fromEntries(Object.entries({ ...values, [name]: text }).filter(([, value]) => value !== ''))
}

interface ParameterFieldProps {
  readonly parameter: Parameter
  readonly value: string
  readonly issue: string | undefined
  readonly onChange: (text: string) => void
}

function ParameterField({ parameter, value, issue, onChange }: ParameterFieldProps): ReactNode {
  const id = useId()
  const { name, required = false, description, schema = {} } = parameter
  const choices = choicesOf(schema)
  const listed = choicesOf(schema['type'] === 'array' ? ((schema['items'] ?? {}) as JsonSchema) : {})
  const common = { id, value, 'aria-invalid': issue !== undefined, 'aria-describedby': `${id}-hint` }
  return (
    <div className="parameter">
      <label htmlFor={id} className="mono">
        {name === '*' ? 'rest of the path' : name}
        {required && <span className="required"> required</span>}
      </label>
      {listed !== null ? (
        <ListedChoices id={id} label={name} choices={listed} value={value} onChange={onChange} />
      ) : choices === null ? (
        <input {...common} placeholder={placeholderOf(parameter)} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <select {...common} onChange={(event) => onChange(event.target.value)}>
          <option value="">not sent</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
      <span id={`${id}-hint`} className={issue === undefined ? 'hint' : 'fault'}>
        <Prose text={issue ?? description ?? ''} />
      </span>
    </div>
  )
}

interface ListedChoicesProps {
  readonly id: string
  readonly label: string
  readonly choices: readonly string[]
  /** The chosen values, separated by commas. */
  readonly value: string
  readonly onChange: (text: string) => void
}

/** A checkbox for each value of a list, such as the names in `expand`. */
function ListedChoices({ id, label, choices, value, onChange }: ListedChoicesProps): ReactNode {
  const chosen = value.split(',')
  const toggle = (choice: string): void =>
    onChange(choices.filter((one) => chosen.includes(one) !== (one === choice)).join(','))
  return (
    <div id={id} role="group" aria-label={label} aria-describedby={`${id}-hint`} className="listed-choices">
      {choices.map((choice) => (
        <label key={choice}>
          <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} /> {choice}
        </label>
      ))}
    </div>
  )
}

/** Returns the values to choose from, or null if any value is allowed. */
function choicesOf(schema: JsonSchema): string[] | null {
  if (schema['type'] === 'boolean') return ['true', 'false']
  return Array.isArray(schema['enum']) ? schema['enum'].map(String) : null
}

function placeholderOf({ schema = {} }: Parameter): string {
  const { type, minimum, maximum, format } = schema
  if (format === 'date-time') return '2026-01-31T10:00:00Z'
  if (type === 'array') return 'one, another'
  const hasRange = typeof minimum === 'number' && typeof maximum === 'number' && maximum < 1e9
  return `${typeof type === 'string' ? type : ''}${hasRange ? ` ${minimum}–${maximum}` : ''}`
}

/** A text field for the query string, for routes whose parameters are unknown. */
export function QueryText({ values, onChange }: Pick<ParameterFieldsProps, 'values' | 'onChange'>): ReactNode {
  // The text is kept as typed, since `a=` and `a` parse to the same query.
  const [text, setText] = useState(() => new URLSearchParams(values).toString())
  return (
    <fieldset className="parameters">
      <legend>Query</legend>
      <label className="field">
        <span className="unseen">Query</span>
        <input
          className="mono"
          placeholder="a=1&b=2"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            onChange(Object.fromEntries(new URLSearchParams(event.target.value)))
          }}
        />
      </label>
    </fieldset>
  )
}

/** Renders text from the document. Text in backticks is shown as code. */
export function Prose({ text }: { text: string }): ReactNode {
  return [...text.matchAll(/`([^`]+)`|[^`]+|`/g)].map(({ 0: part, 1: code, index }) =>
    code === undefined ? part : <code key={index}>{code}</code>,
  )
}
