import { useAPI, useAuth } from '@sdk/react'
import { useState, type ReactNode } from 'react'

/** A list that only its owner sees, and an agent that knows who is asking. */
export function Notes(): ReactNode {
  const { isAuthenticated } = useAuth()
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">
        My notes <span className="pill">{isAuthenticated ? 'only you' : 'signed out'}</span>
      </h2>
      {isAuthenticated ? <OwnNotes /> : <p className="quiet">Sign in to keep notes that nobody else can read.</p>}
      <Brief />
    </section>
  )
}

function OwnNotes(): ReactNode {
  const [text, setText] = useState('')
  const notes = useAPI('GET /api/v1/notes', { query: { sort: '-createdAt', limit: 50 } })
  const add = useAPI('POST /api/v1/notes', { invalidates: ['GET /api/v1/notes'], onSuccess: () => setText('') })

  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void add.invoke({ text })
        }}
      >
        <input
          aria-label="New note"
          placeholder="Dear diary …"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" disabled={add.isLoading}>
          Keep
        </button>
      </form>
      {add.isError && <p role="alert">{add.error?.message}</p>}
      <ul aria-label="Notes">
        {notes.data?.data.map((note) => (
          <li key={note.id}>{note.text}</li>
        ))}
      </ul>
    </>
  )
}

function Brief(): ReactNode {
  const { data, invoke, isLoading } = useAPI('POST /agent/brief')
  return (
    <>
      <p>
        <button type="button" disabled={isLoading} onClick={() => void invoke()}>
          Where do I stand?
        </button>
      </p>
      {data !== undefined && <p>{data.text}</p>}
    </>
  )
}
