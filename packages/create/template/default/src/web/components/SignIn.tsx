import { useAuth } from '@sdk/react'
import { useState, type FormEvent } from 'react'

/** A form to sign up or sign in. */
export function SignIn() {
  const { signUp, signIn } = useAuth()
  const [isNew, setIsNew] = useState(true)
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const [name, email, password] = [textOf(data, 'name'), textOf(data, 'email'), textOf(data, 'password')]
    setIsBusy(true)
    setFailure(null)
    try {
      await (isNew ? signUp({ name, email, password }) : signIn({ email, password }))
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      setIsBusy(false)
    }
  }

  return (
    <form className="tall" onSubmit={(event) => void submit(event)}>
      <p className="quiet">Sign up or sign in to write notes that only you can see.</p>
      {isNew && <input name="name" aria-label="Name" placeholder="Name" autoComplete="name" required />}
      <input name="email" type="email" aria-label="Email" placeholder="Email" autoComplete="email" required />
      <input
        name="password"
        type="password"
        aria-label="Password"
        placeholder="Password (at least 8 characters)"
        minLength={8}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
      />
      {failure !== null && <p role="alert">{failure}</p>}
      <div className="row">
        <button type="submit" disabled={isBusy}>
          {isNew ? 'Sign up' : 'Sign in'}
        </button>
        <button type="button" className="plain" onClick={() => setIsNew(!isNew)}>
          {isNew ? 'I have an account' : 'Create an account'}
        </button>
      </div>
    </form>
  )
}

function textOf(data: FormData, field: string): string {
  const value = data.get(field)
  return typeof value === 'string' ? value : ''
}
