import { useAPI } from '@sdk/react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { actAs } from './act-as.ts'

/** A dialog that creates a test user and then makes all further calls as that user. */
export function NewUserDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [suggestion] = useState(suggest)
  const [name, setName] = useState(suggestion.name)
  const [email, setEmail] = useState(suggestion.email)
  const { invoke, isLoading, error } = useAPI('POST /_workbench/api/users', {
    invalidates: ['GET /_workbench/api/users'],
  })

  function submit(event: FormEvent): void {
    event.preventDefault()
    invoke({ name, email }).then(
      ({ id }) => {
        onClose()
        void actAs(id)
      },
      () => {}, // the error is part of the call's state
    )
  }

  return (
    <Dialog title="New test user" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <label className="field">
          <span>Name</span>
          <input value={name} required onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          <span>Email</span>
          <input type="email" value={email} required onChange={(event) => setEmail(event.target.value)} />
        </label>
        {error !== null && (
          <p className="fault" role="alert">
            {error.message}
          </p>
        )}
        <div className="actions end">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isLoading}>
            Create and act as user
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function suggest(): { name: string; email: string } {
  const tag = crypto.randomUUID().slice(0, 4)
  return { name: `Test ${tag}`, email: `test-${tag}@example.com` }
}
