// The frontend.
import { SdkProvider, useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

function Greeting(): ReactNode {
  const [name, setName] = useState('world')
  const { data = [], invoke, cancel, isLoading, error } = useAPI('POST /agent/greet')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void invoke({ name })
      }}
    >
      <input aria-label="Name" value={name} onChange={(event) => setName(event.target.value)} />{' '}
      {isLoading ? (
        <button key="stop" type="button" onClick={cancel}>
          Stop
        </button>
      ) : (
        // Different keys: otherwise the clicked Stop button would become a submit button and submit the form.
        <button key="send" type="submit">
          Greet
        </button>
      )}
      <p role="status">{data.map(({ word }) => word).join(' ')}</p>
      {error !== null && <p role="alert">{error.message}</p>}
    </form>
  )
}

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no element with the id "root"')
createRoot(root).render(
  <SdkProvider>
    <Greeting />
  </SdkProvider>,
)
