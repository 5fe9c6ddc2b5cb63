/** Shows a durable agent that streams: chunks as they arrive, also after a reload, and a stop button. */
import { useAPI } from '@sdk/react'
import { useState } from 'react'
import { explain } from '../explain.ts'
import { newKey } from '../new-key.ts'
import { Choice } from './Choice.tsx'
import { Icon } from './Icon.tsx'
import { Notice } from './Notice.tsx'
import { PageTitle } from './PageTitle.tsx'
import { Tidy } from './Tidy.tsx'
import './assistant.css'

const HOURS = [
  ['1', 'One hour'],
  ['4', '4 hours'],
  ['8', '8 hours'],
] as const

type Hours = (typeof HOURS)[number][0]

export default function Assistant() {
  const [hours, setHours] = useState<Hours>('4')
  const {
    data: chunks = [],
    invoke,
    cancel,
    isLoading,
    isSuccess,
    error,
  } = useAPI('POST /agent/plan', {
    thread: 'plan', // after a reload, the newest run of this thread continues here
  })
  const ask = (): void => void invoke({ hours: Number(hours) })
  const steps = chunks.flatMap((chunk) => (chunk.kind === 'step' ? [chunk.text] : []))
  const answer = chunks.map((chunk) => (chunk.kind === 'text' ? chunk.text : '')).join('')
  const suggestions = chunks.flatMap((chunk) => (chunk.kind === 'suggestion' ? [chunk] : []))

  return (
    <>
      <PageTitle title="Assistant" lead="An agent reads your open tasks, calls a second agent, and writes a plan." />
      <form
        className="row card"
        onSubmit={(event) => {
          event.preventDefault()
          ask()
        }}
      >
        <Choice label="Time today" value={hours} options={HOURS} onChange={setHours} />
        {isLoading ? (
          <button key="stop" type="button" className="second" onClick={cancel}>
            Stop
          </button>
        ) : (
          // Different keys: otherwise the clicked Stop button would become a submit button and submit the form.
          <button key="ask" type="submit">
            Plan my day
          </button>
        )}
      </form>
      {error !== null && <Notice actions={{ 'Try again': ask }}>{explain(error)}</Notice>}
      {chunks.length > 0 && (
        <section className="answer card" aria-label="Answer" aria-busy={isLoading}>
          <Steps steps={steps} isOver={!isLoading} />
          <p className="text">{answer}</p>
          {!isLoading && !isSuccess && error === null && <p className="quiet">Stopped.</p>}
          {suggestions.length > 0 && (
            <ul aria-label="Suggested tasks">
              {suggestions.map(({ title, priority }) => (
                <Suggestion key={title} title={title} priority={priority} />
              ))}
            </ul>
          )}
        </section>
      )}
      <p role="status" className="unseen">
        {isSuccess ? answer : ''}
      </p>
      <Tidy />
    </>
  )
}

function Steps({ steps, isOver }: { steps: readonly string[]; isOver: boolean }) {
  return (
    <ol className="steps" aria-label="Steps">
      {steps.map((step, index) => (
        <li key={step} data-done={isOver || index < steps.length - 1}>
          <Icon name="check" /> {step}
        </li>
      ))}
    </ol>
  )
}

/** Adds a suggested task through the same route as any other task. */
function Suggestion(task: { title: string; priority: number }) {
  const { invoke, isLoading, isSuccess, error } = useAPI('POST /api/v1/tasks', { invalidates: ['GET /api/v1/tasks'] })
  const [headers] = useState(() => ({ 'idempotency-key': newKey() }))
  return (
    <li>
      <span>{task.title}</span>
      {error !== null && <small role="alert">{explain(error)}</small>}
      <button
        type="button"
        className="second small"
        aria-label={isSuccess ? `Added ${task.title}` : `Add ${task.title}`}
        disabled={isLoading || isSuccess}
        onClick={() => void invoke(task, { headers })}
      >
        {isSuccess ? 'Added' : 'Add'}
      </button>
    </li>
  )
}
