import { useEffect, useState, type ReactNode } from 'react'
import { RemoveButton } from '../form/field-frame.tsx'
import type { JsonSchema } from '../form/json-schema.ts'
import { useRun, useRuns } from '../data/use-runs.ts'
import { toTimestamp, toSize } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import type { CallInput } from './call-input.ts'
import { storeSavedInputs, readSavedInputs, type SavedInput } from './stored-input.ts'
import { printJson, tryParseJsonTree } from '../form/json-text.ts'
import { sampleOf } from '../form/sample.ts'
import { shapeOf } from '../form/shape.ts'
import type { Run } from '../../run.ts'

interface ExamplesViewProps {
  readonly route: string
  readonly schema: JsonSchema | null
  readonly value: CallInput
  readonly onChoose: (input: CallInput) => void
}

/** Example inputs, which are generated from the schema, saved by the user, or taken from earlier runs. */
export function ExamplesView(props: ExamplesViewProps): ReactNode {
  const { schema, value, onChoose } = props
  return (
    <div className="input-examples">
      <Saved {...props} />
      {schema !== null && (
        <section>
          <h2>From the schema</h2>
          <ul>
            {examplesOf(schema).map(({ name, body }) => (
              <li key={name}>
                <button type="button" className="input-example" onClick={() => onChoose({ ...value, body })}>
                  <span>{name}</span>
                  <code className="quiet cut">{bodyPreview(body)}</code>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Recent {...props} />
    </div>
  )
}

function Saved({ route, value, onChoose }: ExamplesViewProps): ReactNode {
  const [saved, setSaved] = useState<readonly SavedInput[]>(() => readSavedInputs(route))
  const [name, setName] = useState('')
  const [isFull, setFull] = useState(false)

  function keep(next: readonly SavedInput[]): void {
    const isKept = storeSavedInputs(route, next)
    setFull(!isKept)
    if (isKept) setSaved(next)
  }

  function onSave(): void {
    keep([...saved.filter((each) => each.name !== name.trim()), { name: name.trim(), input: value }])
    setName('')
  }

  return (
    <section>
      <h2>Saved</h2>
      <form
        className="input-save schema-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '') onSave()
        }}
      >
        <input
          type="text"
          aria-label="Name of this input"
          placeholder="a name for this input"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="button" disabled={name.trim() === ''}>
          Save
        </button>
      </form>
      {isFull && <p className="form-fault">This browser’s storage is full.</p>}
      <ul>
        {saved.map((each) => (
          <li key={each.name}>
            <button type="button" className="input-example" onClick={() => onChoose(each.input)}>
              <span>{each.name}</span>
              <code className="quiet cut">{bodyPreview(each.input.body)}</code>
            </button>
            <RemoveButton label={each.name} onClick={() => keep(saved.filter((other) => other !== each))} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Recent({ route, value, onChoose }: ExamplesViewProps): ReactNode {
  const runs = useRuns({ route, limit: 20 })?.runs ?? []
  const [wanted, setWanted] = useState<string | null>(null)
  const { run, isMissing } = useRun(wanted)
  const example = run === undefined || run.id !== wanted ? null : exampleOfRun(run)
  useEffect(() => {
    if (example?.body !== undefined) onChoose({ ...value, body: example.body })
  }, [example?.body, onChoose, value])
  return (
    <section>
      <h2>Recent runs</h2>
      {runs.length === 0 && <p className="quiet">Inputs from earlier runs appear here.</p>}
      {(example?.problem !== undefined || isMissing) && (
        <p className="form-fault">{example?.problem ?? 'This run no longer exists.'}</p>
      )}
      <ul>
        {runs.map((each) => (
          <li key={each.id}>
            <button type="button" className="input-example" onClick={() => setWanted(each.id)}>
              <span>
                <RunPill run={each} /> {toTimestamp(each.startedAt)}
              </span>
              <code className="quiet cut">
                {each.caller} · {toSize(each.bytes)}
              </code>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function examplesOf(schema: JsonSchema): readonly { name: string; body: string }[] {
  const shape = shapeOf(schema, schema)
  const made = [
    ...shape.examples.map((json, index) => ({
      name: shape.examples.length === 1 ? 'Example' : `Example ${index + 1}`,
      json,
    })),
    { name: 'Default', json: shape.defaultValue },
    { name: 'Minimal', json: sampleOf({ ...shape, examples: [], defaultValue: undefined }, 'minimal') },
    { name: 'Full', json: sampleOf({ ...shape, examples: [], defaultValue: undefined }, 'full') },
  ]
  const examples = made.flatMap(({ name, json }) => (json === undefined ? [] : [{ name, body: printJson(json) }]))
  return examples.filter(({ body }, index) => examples.findIndex((other) => other.body === body) === index)
}

function exampleOfRun({ request: { body } }: Pick<Run, 'request'>): { body?: string; problem?: string } {
  if (body === null) return { body: '' }
  if (body.isCut) return { problem: 'Only the beginning of this input was stored.' }
  return body.encoding === 'base64' ? { problem: 'This input is not text.' } : { body: body.text }
}

function bodyPreview(body: string): string {
  const json = tryParseJsonTree(body)
  const line = json === undefined ? body.trim() : printJson(json, '')
  return line === '' ? 'no body' : line.length > 120 ? `${line.slice(0, 119)}…` : line
}
