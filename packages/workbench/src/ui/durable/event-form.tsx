import { isApiError, type RunWaiting } from '@sdk/protocol'
import { useMemo, useState, type ReactNode } from 'react'
import type { InspectedRun } from '../../api.ts'
import { useManifest } from '../data/use-manifest.ts'
import { printJson } from '../form/json-text.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { sampleOf } from '../form/sample.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { shapeOf } from '../form/shape.ts'
import { BodyEditor } from '../input/body-editor.tsx'
import type { FieldIssue } from '../input/call-input.ts'
import { readOperationInfo } from '../routes/operation-info.ts'
import { useDocuments } from '../routes/use-documents.ts'
import { showToast } from '../components/toast.ts'
import { sendAsOwner } from './as-owner.ts'
import '../input/input.css'

interface EventFormProps {
  readonly run: Pick<InspectedRun, 'id' | 'agent' | 'userId'>
  readonly event: string
  /** The id of the wait, or null. */
  readonly waitId: RunWaiting['id']
  readonly onSent: () => void
}

/** A form that sends an event to a waiting run. Its fields come from the schema of the event. */
export function EventForm(props: EventFormProps): ReactNode {
  const { run, event } = props
  const documents = useDocuments(useManifest())
  const route = `POST /agent/${run.agent}/runs/:run/events/${event}`
  const schema = useMemo(() => documents && findSchema(documents, route), [documents, route])
  if (schema === undefined) return <p className="late quiet">Waiting for the event schema</p>
  return <EventFields {...props} schema={schema} />
}

function EventFields({
  run,
  event,
  waitId,
  onSent,
  schema,
}: EventFormProps & { schema: JsonSchema | null }): ReactNode {
  const [text, setText] = useState(() => firstText(schema))
  const [isSending, setSending] = useState(false)
  const [issues, setIssues] = useState<readonly FieldIssue[]>([])

  async function send(): Promise<void> {
    setSending(true)
    try {
      const query = waitId === null ? '' : `?id=${encodeURIComponent(waitId)}`
      await sendAsOwner(run, `POST /agent/${run.agent}/runs/${run.id}/events/${event}${query}`, { body: text })
      showToast(`Event ${event} sent`)
      onSent()
    } catch (error) {
      setIssues(issuesOf(error))
      showToast(`Cannot send ${event}: ${error instanceof Error ? error.message : String(error)}`, 'bad')
    } finally {
      setSending(false)
    }
  }

  return (
    <form
      className="event-form"
      aria-label={`Event ${event}`}
      onSubmit={(submitted) => {
        submitted.preventDefault()
        void send()
      }}
    >
      {schema === null ? (
        <BodyEditor text={text} onChange={setText} schema={null} issues={issues} />
      ) : (
        <SchemaForm schema={schema} value={text} onChange={setText} issues={issues} label={`Event ${event}`} />
      )}
      <div className="actions">
        <button type="submit" className="button primary" disabled={isSending}>
          Send event
        </button>
      </div>
    </form>
  )
}

/** Returns the schema of an event, or null if it is unknown. */
function findSchema(documents: NonNullable<ReturnType<typeof useDocuments>>, route: string): JsonSchema | null {
  for (const document of documents) {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const operation = operations.find(({ summary }) => summary === route)
    if (operation === undefined) continue
    const [method = '', path = ''] = route.split(' ')
    return readOperationInfo({ route, method, path, description: undefined, operation, document }).body
  }
  return null
}

/** Returns empty fields: a sample could be sent by accident, and only the first event counts. */
function firstText(schema: JsonSchema | null): string {
  const sample = schema === null ? undefined : sampleOf(shapeOf(schema, schema), 'blank')
  return sample === undefined ? '{}' : printJson(sample)
}

function issuesOf(error: unknown): FieldIssue[] {
  if (!isApiError(error)) return []
  return error.details.flatMap(({ pointer, source = 'body', message }) =>
    source === 'body' ? [{ pointer: pointer ?? '', message }] : [],
  )
}
