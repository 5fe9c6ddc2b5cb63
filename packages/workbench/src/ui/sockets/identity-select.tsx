import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import { signInAs, useChosenIdentity, type Identity } from '../data/identity.ts'
import { identityName } from '../frame/identity-name.ts'
import { showToast } from '../components/toast.ts'

interface IdentitySelectProps {
  readonly label: string
  readonly value: Identity | 'header'
  readonly onChange: (next: Identity | 'header') => void
  readonly isDisabled: boolean
}

/** Chooses whom a client connects as: the one in the header, nobody, or any user. */
export function IdentitySelect({ label, value, onChange, isDisabled }: IdentitySelectProps): ReactNode {
  const chosen = useChosenIdentity()
  const { data } = useAPI('GET /_workbench/api/users', { query: {} })

  function choose(next: string): void {
    if (next === 'header') onChange('header')
    else if (next === 'anonymous') onChange({ kind: 'anonymous' })
    else
      signInAs(next).then(onChange, (error: unknown) =>
        showToast(`Cannot connect as this user: ${String(error)}`, 'bad'),
      )
  }

  return (
    <select
      aria-label={label}
      disabled={isDisabled}
      value={value === 'header' ? 'header' : value.kind === 'user' ? value.user.id : value.kind}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="header">Header: {identityName(chosen)}</option>
      <option value="anonymous">Anonymous</option>
      {data?.users.map(({ id, name, email }) => (
        <option key={id} value={id}>
          {name || email}
        </option>
      ))}
    </select>
  )
}
