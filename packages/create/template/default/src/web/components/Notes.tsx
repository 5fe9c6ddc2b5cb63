import { useAPI, useAuth } from '@sdk/react'
import { useState } from 'react'
import { Card } from './Card.tsx'
import { SignIn } from './SignIn.tsx'

/** A list that only its owner can see. */
export function Notes() {
  const { isAuthenticated, authLoading } = useAuth()
  return (
    <Card title="Take notes" file="src/api/notes.ts">
      {authLoading ? <p className="quiet">Loading …</p> : isAuthenticated ? <OwnNotes /> : <SignIn />}
    </Card>
  )
}

function OwnNotes() {
  const [text, setText] = useState('')
  const notes = useAPI('GET /api/v1/notes', { query: { sort: '-createdAt', limit: 20 } })
  const add = useAPI('POST /api/v1/notes', { invalidates: ['GET /api/v1/notes'], onSuccess: () => setText('') })
  const remove = useAPI('DELETE /api/v1/notes/:id', { invalidates: ['GET /api/v1/notes'] })
  const error = add.error ?? remove.error ?? notes.error

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
          placeholder="Write a note"
          required
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" disabled={add.isLoading}>
          Save
        </button>
      </form>
      {error !== null && <p role="alert">{error.message}</p>}
      {notes.data?.data.length === 0 && <p className="quiet">No notes yet. Only you can see your notes.</p>}
      <ul aria-label="Notes">
        {notes.data?.data.map(({ id, text: note }) => (
          <li key={id}>
            <span>{note}</span>
            <button
              type="button"
              className="plain"
              aria-label={`Remove ${note}`}
              onClick={() => void remove.invoke({ params: { id } })}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
