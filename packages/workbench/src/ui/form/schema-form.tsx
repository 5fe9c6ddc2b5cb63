import { useId, useMemo, useState, type ReactNode } from 'react'
import type { FieldIssue } from '../input/call-input.ts'
import { useIssues } from './check.ts'
import { Field } from './field.tsx'
import { FormScopeProvider, fieldId, type FormScope } from './form-context.ts'
import { keysOf, type JsonSchema } from './json-schema.ts'
import { printJson, tryParseJsonTree } from './json-text.ts'
import { lastMember, type Json } from './json-tree.ts'
import { shapeOf } from './shape.ts'
import './form.css'

/** The maximum number of issues that are listed. Further issues are only counted. */
const MAX_LISTED = 5

interface SchemaFormProps {
  /** The schema, including everything that its `$ref`s refer to. Pass the same object on every render. */
  readonly schema: JsonSchema
  /** The value as JSON text, or an empty string if there is no value. */
  readonly value: string
  /** Called with the complete JSON text after every edit, or with an empty string if everything was removed. */
  readonly onChange: (text: string) => void
  /** Issues found by the server. Violations of the schema are found by the form itself. */
  readonly issues: readonly FieldIssue[]
  readonly label: string
}

/** A form for a JSON Schema. It edits JSON text losslessly: the text does not change unless it is edited. */
export function SchemaForm({ schema, value, onChange, issues, label }: SchemaFormProps): ReactNode {
  const id = useId()
  const [own, setOwn] = useState<{ text: string; json: Json | undefined } | null>(null)
  // If the parent passes the form's own text back, the tree is reused, since the state of the fields depends on it.
  const json = useMemo(() => (own?.text === value ? own.json : tryParseJsonTree(value)), [own, value])
  const found = useIssues(schema, json)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const { told, untold } = useMemo(() => {
    const isBlank = ({ pointer }: FieldIssue): boolean => isEmptyAt(json, pointer) && !touched.has(fieldId(id, pointer))
    const seen = found.filter((issue) => !isBlank(issue))
    // Issues found by both the form and the server are shown only once.
    const others = issues.filter(({ pointer }) => !seen.some((issue) => issue.pointer === pointer))
    return { told: [...seen, ...others], untold: found.filter(isBlank) }
  }, [found, issues, json, touched, id])
  const scope = useMemo<FormScope>(() => ({ id, Field, issues: byPointer(told) }), [id, told])
  if (json === undefined && value.trim() !== '')
    return <p className="form-broken">This is not valid JSON yet: correct it in the JSON tab to see the form.</p>

  function edit(next: Json | undefined): void {
    const text = next === undefined ? '' : printJson(next)
    setOwn({ text, json: next })
    onChange(text)
  }

  return (
    <FormScopeProvider value={scope}>
      <div
        className="schema-form"
        role="group"
        aria-label={label}
        // An empty field shows no issues until it has been visited.
        onBlur={({ target }) => !touched.has(target.id) && setTouched(new Set([...touched, target.id]))}
      >
        <Field shape={shapeOf(schema, schema)} value={json} onChange={edit} pointer="" label={label} />
        <IssueSummary issues={told} untold={untold} formId={id} />
      </div>
    </FormScopeProvider>
  )
}

function isEmptyAt(json: Json | undefined, pointer: string): boolean {
  const found = keysOf(pointer).reduce<Json | undefined>(
    (inner, key) => (inner?.kind === 'array' ? inner.items[Number(key)] : lastMember(inner, key)),
    json,
  )
  return found === undefined || (found.kind === 'string' && found.value === '')
}

function byPointer(issues: readonly FieldIssue[]): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, string[]>()
  for (const { pointer, message } of issues) map.set(pointer, [...(map.get(pointer) ?? []), message])
  return map
}

/** Props of `IssueSummary`. `untold` contains the issues in empty fields that the user has not visited yet. */
type IssueSummaryProps = { issues: readonly FieldIssue[]; untold: readonly FieldIssue[]; formId: string }

/** A list of all issues, each of which links to its field. */
function IssueSummary({ issues, untold, formId }: IssueSummaryProps): ReactNode {
  const [next] = untold
  const more = issues.length - MAX_LISTED
  return (
    <div className="form-summary" role="status">
      {issues.length > 0 && (
        <ul>
          {issues.slice(0, MAX_LISTED).map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              <button type="button" onClick={() => focusField(formId, pointer)}>
                <code>{keysOf(pointer).join('.') || 'input'}</code> {message}
              </button>
            </li>
          ))}
          {more > 0 && <li>and {more} more</li>}
        </ul>
      )}
      {next !== undefined && (
        <button type="button" className="hint" onClick={() => focusField(formId, next.pointer)}>
          {untold.length === 1 ? '1 field' : `${untold.length} fields`} to fill in
        </button>
      )}
    </div>
  )
}

/** Moves the focus to the field at a pointer, or to the nearest enclosing field, and expands its groups. */
function focusField(formId: string, pointer: string): void {
  for (let place = pointer; ; place = place.slice(0, place.lastIndexOf('/'))) {
    const id = fieldId(formId, place)
    const found = [id, `${id}-branch`, `${id}-add`].map((each) => document.getElementById(each)).find(Boolean)
    if (found) {
      for (let box = found.closest('details'); box !== null; box = box.parentElement?.closest('details') ?? null)
        box.open = true
      found.focus()
      return
    }
    if (place === '') return
  }
}
