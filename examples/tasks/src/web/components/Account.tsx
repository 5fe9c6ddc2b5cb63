import { useAuth } from '@sdk/react'
import { useState, type FormEvent, type ReactNode } from 'react'

/** Who is signed in, or the way to be. */
export function Account(): ReactNode {
  const { isAuthenticated, authLoading, user, signOut } = useAuth()
  if (authLoading) return <p className="quiet account">…</p>
  if (!isAuthenticated) return <SignUp />
  return (
    <p className="account">
      Signed in as <strong>{user?.name}</strong>{' '}
      <button type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </p>
  )
}

function SignUp(): ReactNode {
  const { signUp, signIn } = useAuth()
  const [failure, setFailure] = useState<string | null>(null)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string): string => {
      const value = fields.get(name)
      return typeof value === 'string' ? value : ''
    }
    const account = { name: text('name'), email: text('email'), password: text('password') }
    try {
      await (account.name === '' ? signIn(account) : signUp(account))
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }

  return (
    <details className="account">
      <summary>Sign in</summary>
      <form onSubmit={(event) => void submit(event)}>
        <input name="email" type="email" aria-label="E-mail" placeholder="E-mail" autoComplete="email" required />
        <input
          name="password"
          type="password"
          aria-label="Password"
          placeholder="Password"
          autoComplete="current-password"
          minLength={8}
          required
        />
        <input name="name" aria-label="Name" placeholder="Name, to sign up" autoComplete="name" />
        <button type="submit">Go</button>
        {failure !== null && <p role="alert">{failure}</p>}
      </form>
    </details>
  )
}
