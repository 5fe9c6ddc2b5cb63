import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import type { WorkbenchUser } from '../../api.ts'
import { identityName } from '../frame/identity-name.ts'
import { useChosenIdentity } from '../data/identity.ts'

/** The settings for a matrix: the identities, or the number of calls. */
export interface MatrixSettings {
  readonly by: 'identities' | 'repeats'
  /** The identities: `anonymous`, `browser`, or a user's id. */
  readonly who: readonly string[]
  /** The number of calls, from 1 to 200. */
  readonly count: number
  /** The number of concurrent calls, from 1 to 16. */
  readonly concurrency: number
}

/** The initial settings, with two identities that every app has. */
export const INITIAL_SETTINGS: MatrixSettings = {
  by: 'identities',
  who: ['anonymous', 'browser'],
  count: 20,
  concurrency: 4,
}

interface MatrixChoiceProps {
  readonly choice: MatrixSettings
  readonly onChange: (next: MatrixSettings) => void
}

/** A form for choosing the identities or the number of calls. */
export function MatrixChoice({ choice, onChange }: MatrixChoiceProps): ReactNode {
  return (
    <div className="matrix-choice">
      <fieldset className="segments-field">
        <legend className="unseen">Call</legend>
        {(['identities', 'repeats'] as const).map((by) => (
          <label key={by} className="check">
            <input type="radio" name="by" checked={choice.by === by} onChange={() => onChange({ ...choice, by })} />
            {by === 'identities' ? 'Once per identity' : 'Several times'}
          </label>
        ))}
      </fieldset>
      {choice.by === 'identities' ? (
        <IdentityChoices choice={choice} onChange={onChange} />
      ) : (
        <Repeats choice={choice} onChange={onChange} />
      )}
    </div>
  )
}

function IdentityChoices({ choice, onChange }: MatrixChoiceProps): ReactNode {
  const { data } = useAPI('GET /_workbench/api/users', { query: {}, staleTime: 10_000 })
  const toggle = (id: string): void => {
    const who = choice.who.includes(id) ? choice.who.filter((one) => one !== id) : [...choice.who, id]
    onChange({ ...choice, who })
  }
  const all = [
    { id: 'anonymous', name: 'Anonymous' },
    { id: 'browser', name: 'This browser' },
    ...(data?.users ?? []).map((user) => ({ id: user.id, name: userLabel(user) })),
  ]
  return (
    <fieldset className="matrix-who">
      <legend className="small">Identities</legend>
      {all.map(({ id, name }) => (
        <label key={id} className="check">
          <input type="checkbox" checked={choice.who.includes(id)} onChange={() => toggle(id)} />
          {name}
        </label>
      ))}
      {data?.hasAuth === false && <p className="hint">This app does not use auth, so it has no users.</p>}
    </fieldset>
  )
}

function Repeats({ choice, onChange }: MatrixChoiceProps): ReactNode {
  const who = useChosenIdentity()
  const number = (name: 'count' | 'concurrency', max: number) => ({
    type: 'number',
    min: 1,
    max,
    value: choice[name],
    onChange: (event: { target: { value: string } }) =>
      onChange({ ...choice, [name]: Math.min(max, Math.max(1, Math.round(Number(event.target.value)) || 1)) }),
  })
  return (
    <div className="matrix-repeats">
      <label className="field">
        <span>Calls</span>
        <input {...number('count', 200)} />
      </label>
      <label className="field">
        <span>Concurrency</span>
        <input {...number('concurrency', 16)} />
      </label>
      <p className="hint">Calls are made as {identityName(who)}, the identity in the header.</p>
    </div>
  )
}

function userLabel({ name, email }: WorkbenchUser): string {
  return name === '' ? email : `${name} (${email})`
}
