/** Shows `useAuth`: sign-up, sign-in, and guest accounts. */
import { useAuth } from '@sdk/react'
import { useState, type FormEvent } from 'react'
import { explain } from '../explain.ts'
import { newKey } from '../new-key.ts'
import { Notice } from './Notice.tsx'

/** A form for sign-up and sign-in. */
export function AccountForm({ isNew }: { isNew: boolean }) {
  const { signUp, signIn } = useAuth()
  const { isBusy, failure, attempt } = useAttempt()

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [name, email, password] = [textOf(form, 'name'), textOf(form, 'email'), textOf(form, 'password')]
    void attempt(() => (isNew ? signUp({ name, email, password }) : signIn({ email, password })))
  }

  return (
    <form className="tall" onSubmit={submit}>
      {isNew && (
        <label>
          Name
          <input name="name" autoComplete="name" maxLength={60} required />
        </label>
      )}
      <label>
        E-mail
        <input name="email" type="email" autoComplete="email" required />
      </label>
      <label>
        <span>Password {isNew && <small className="quiet">at least 8 characters</small>}</span>
        <input
          name="password"
          type="password"
          minLength={8}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
        />
      </label>
      {failure !== null && <Notice>{failure}</Notice>}
      <button type="submit" className="second" disabled={isBusy}>
        {isNew ? 'Create account' : 'Continue'}
      </button>
    </form>
  )
}

/** Creates a real account with one click. Its password is random and not stored. */
export function GuestButton() {
  const { signUp } = useAuth()
  const { isBusy, failure, attempt } = useAttempt()
  const enter = (): Promise<void> =>
    signUp({ name: guestName(), email: `guest-${newKey()}@example.com`, password: newKey() })
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void attempt(enter)}>
        {isBusy ? 'One moment …' : 'Try it as a guest'}
      </button>
      {failure !== null && <Notice>{failure}</Notice>}
    </>
  )
}

/** Runs one action at a time, and shows why it failed. */
function useAttempt() {
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  async function attempt(work: () => Promise<void>): Promise<void> {
    setIsBusy(true)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      setFailure(explain(error))
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, failure, attempt }
}

function guestName(): string {
  const pick = (words: readonly string[]): string => words[Math.floor(Math.random() * words.length)] ?? ''
  return `${pick(['Quiet', 'Bright', 'Swift', 'Gentle'])} ${pick(['Otter', 'Heron', 'Fox', 'Wren', 'Badger'])}`
}

function textOf(form: FormData, field: string): string {
  const value = form.get(field)
  return typeof value === 'string' ? value : ''
}
