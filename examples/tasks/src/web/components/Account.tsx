import { useAuth } from '@sdk/react'
import { useState, type FormEvent, type ReactNode } from 'react'

/** Who is signed in, or the ways to be. */
export function Account(): ReactNode {
  const { isAuthenticated, authLoading, user, signOut } = useAuth()
  const [isNew, setIsNew] = useState<boolean | null>(null)
  if (authLoading) return <p className="quiet account">…</p>
  if (isAuthenticated)
    return (
      <p className="account">
        Signed in as <strong>{user?.name}</strong>{' '}
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </p>
    )
  return (
    <div className="account">
      <button type="button" aria-expanded={isNew === false} onClick={() => setIsNew(isNew === false ? null : false)}>
        Sign in
      </button>{' '}
      <button type="button" aria-expanded={isNew === true} onClick={() => setIsNew(isNew === true ? null : true)}>
        Sign up
      </button>
      {isNew !== null && <AccountForm key={String(isNew)} isNew={isNew} />}
    </div>
  )
}

function AccountForm({ isNew }: { isNew: boolean }): ReactNode {
  const { signUp, signIn } = useAuth()
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const { name = '', email = '', password = '' } = textsOf(event.currentTarget)
    setIsBusy(true)
    setFailure(null)
    try {
      await (isNew ? signUp({ name, email, password }) : signIn({ email, password }))
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <form className="card" onSubmit={(event) => void submit(event)}>
      {isNew && <Field label="Name" name="name" autoComplete="name" />}
      <Field label="E-mail" name="email" type="email" autoComplete="email" />
      <Field
        label="Password"
        name="password"
        type="password"
        minLength={8}
        autoComplete={isNew ? 'new-password' : 'current-password'}
      />
      <button type="submit" disabled={isBusy}>
        {isNew ? 'Create account' : 'Continue'}
      </button>
      {failure !== null && <p role="alert">{failure}</p>}
    </form>
  )
}

interface FieldProps {
  label: string
  name: string
  type?: string
  minLength?: number
  autoComplete: string
}

function Field({ label, ...input }: FieldProps): ReactNode {
  return <input aria-label={label} placeholder={label} required {...input} />
}

function textsOf(form: HTMLFormElement): Record<string, string> {
  const fields = [...new FormData(form)]
  return Object.fromEntries(fields.map(([name, value]) => [name, typeof value === 'string' ? value : '']))
}
