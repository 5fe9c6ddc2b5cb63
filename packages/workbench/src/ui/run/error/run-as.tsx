import { useAPI } from '@sdk/react'
import { useSyncExternalStore, type ReactNode } from 'react'
import { Link } from 'wouter'
import { identity } from '../../data/identity.ts'
import { identityName } from '../../frame/identity-name.ts'
import { actAs } from '../../frame/act-as.ts'
import { links } from '../../links.ts'

/** How many users are listed; the page of users has all. */
const MAX_RUN_AS_USERS = 6

/** After a 401: chooses the user whom calls are made as. */
export function RunAs(): ReactNode {
  const now = useSyncExternalStore(identity.subscribe, identity.snapshot)
  const { data } = useAPI('GET /_workbench/api/users', { query: {}, staleTime: 10_000 })
  if (data === undefined) return null
  if (!data.hasAuth) {
    return (
      <p className="notice">This route needs a signed-in user, but the app has no auth with users to choose from.</p>
    )
  }
  const users = data.users.slice(0, MAX_RUN_AS_USERS)
  return (
    <div className="notice run-as">
      <p>It was called as {identityName(now)}. Run as</p>
      {users.map(({ id, name, email }) => (
        <button
          key={id}
          type="button"
          className="button small"
          aria-pressed={now.kind === 'user' && now.user.id === id}
          onClick={() => void actAs(id)}
        >
          {name === '' ? email : name}
        </button>
      ))}
      <Link className="link" href={links.users}>
        {users.length === 0 ? 'a new test user' : 'another user'}
      </Link>
    </div>
  )
}
