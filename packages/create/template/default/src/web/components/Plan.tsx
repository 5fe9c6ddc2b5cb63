import { useAPI } from '@sdk/react'
import { useState } from 'react'
import { Card } from './Card.tsx'

/** Calls a streaming agent and shows its steps as they arrive. The Cancel button also stops the handler. */
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
          // The keys differ: a Cancel button that becomes the submit button when clicked would submit the form.
          <button key="send" type="submit">
            Plan
          </button>
        )}
      </form>
      {error !== null && <p role="alert">{error.message}</p>}
      {data === undefined && <p className="quiet">The response arrives step by step.</p>}
      <ol aria-live="polite">
        {data?.map(({ step }) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </Card>
  )
}
