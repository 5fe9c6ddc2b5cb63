import { useAPI } from '@sdk/react'
import { useState } from 'react'

/** Calls a streaming agent and shows its words as they arrive. The Cancel button also stops the handler. */
export function App() {
  const [name, setName] = useState('Ada')
  const { data, invoke, cancel, isLoading, error } = useAPI('POST /agent/greet')

  return (
    <div className="starter">
      <main>
        <h1>Your app is running</h1>
        <p className="quiet">
          The agent is in <code>src/agent/greet/agent.ts</code>. Edit it and try again.
        </p>
        <DevLinks />
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void invoke({ name })
          }}
        >
          <input aria-label="Name" required value={name} onChange={(event) => setName(event.target.value)} />
          {isLoading ? (
            <button key="cancel" type="button" onClick={cancel}>
              Cancel
            </button>
          ) : (
            // The keys differ: a Cancel button that becomes the submit button when clicked would submit the form.
            <button key="send" type="submit">
              Greet
            </button>
          )}
        </form>
        {error !== null && <p role="alert">{error.message}</p>}
        <p className="greeting" aria-live="polite">
          {data?.map(({ word }) => word).join(' ')}
        </p>
      </main>
    </div>
  )
}

/** Links to the workbench, and to files that open in your editor. Production builds do not contain them. */
function DevLinks() {
  if (process.env.NODE_ENV === 'production') return null
  return (
    <nav className="dev-links" aria-label="Development">
      <a href="/_workbench">Workbench</a>
      {['src/web/App.tsx', 'README.md'].map((file) => (
        <button key={file} type="button" className="plain" onClick={() => void fetch(`/__open-in-editor?file=${file}`)}>
          {file}
        </button>
      ))}
    </nav>
  )
}
