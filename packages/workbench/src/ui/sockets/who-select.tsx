import { useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'
import { signInAs, useChosenIdentity, type Identity } from '../data/identity.ts'

interface WhoSelectProps {
  readonly label: string
  readonly value: Identity | 'header'
  readonly onChange: (next: Identity | 'header') => void
  readonly isDisabled: boolean
}

/** Chooses whom a client connects as: the one in the header, nobody, or any user. */
export function WhoSelect({ label, value, onChange, isDisabled }: WhoSelectProps): ReactNode {
  const chosen = useChosenIdentity()
  const { data } = useAPI('GET /_workbench/api/users', { query: {} })
  const [fault, setFault] = useState<string | null>(null)

  function choose(next: string): void {
    setFault(null)
    if (next === 'header') onChange('header')
    else if (next === 'anonymous') onChange({ kind: 'anonymous' })
    else signInAs(next).then(onChange, (error: unknown) => setFault(String(error)))
  }

  return (
    <>
      <select
        aria-label={label}
        disabled={isDisabled}
        value={value === 'header' ? 'header' : value.kind === 'user' ? value.user.id : value.kind}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="header">as in the header: {nameOf(chosen)}</option>
        <option value="anonymous">nobody</option>
        {data?.users.map(({ id, name, email }) => (
          <option key={id} value={id}>
            {name || email}
          </option>
        ))}
      </select>
      {fault !== null && <span role="alert">{fault}</span>}
    </>
  )
}

function nameOf(who: Identity): string {
  if (who.kind === 'user') return who.user.name || who.user.email
  return who.kind === 'browser' ? 'this browser' : 'nobody'
}
