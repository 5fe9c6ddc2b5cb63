import { useAPI } from '@sdk/react'
import { useState } from 'react'
import { Card } from './Card.tsx'

/** A streaming agent: steps show as they arrive, and a cancel reaches the handler. */
export function Plan() {
  const [goal, setGoal] = useState('Learn to sail')
  const { data, invoke, cancel, isLoading, error } = useAPI('POST /agent/plan')

  return (
    <Card title="Ask an agent" file="src/agent/plan/agent.ts">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void invoke({ goal })
        }}
      >
        <input aria-label="Goal" required value={goal} onChange={(event) => setGoal(event.target.value)} />
        {isLoading ? (
          <button key="cancel" type="button" onClick={cancel}>
            Cancel
          </button>
        ) : (
          // Two keys, two elements: a clicked Cancel that turns into a submit button would send the form.
          <button key="send" type="submit">
            Plan
          </button>
        )}
      </form>
      {error !== null && <p role="alert">{error.message}</p>}
      {data === undefined && <p className="quiet">Its answer comes step by step.</p>}
      <ol aria-live="polite">
        {data?.map(({ step }) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </Card>
  )
}
