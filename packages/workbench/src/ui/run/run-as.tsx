import { useAPI } from '@sdk/react'
import { useSyncExternalStore, type ReactNode } from 'react'
import { Link } from 'wouter'
import { identity } from '../data/identity.ts'
import { links } from '../links.ts'

/** How many users are named; the header knows all. */
const MAX_USERS = 6

/** Nobody was signed in, or the wrong one: calls are made as whoever is chosen here. */
export function RunAs(): ReactNode {
  const now = useSyncExternalStore(identity.subscribe, identity.snapshot)
  const { data } = useAPI('GET /_workbench/api/users', { query: {} })
  const { invoke, error } = useAPI('POST /_workbench/api/sessions')
  if (data === undefined) return null
  if (!data.hasAuth) {
    return (
      <p className="notice">
        This route wants somebody who is signed in, and the app has no auth that knows its users.
      </p>
    )
  }
  const users = data.users.slice(0, MAX_USERS)
  return (
    <div className="notice run-as">
      <p>{now.kind === 'user' ? `${now.user.name} may not do this.` : 'Nobody is signed in.'} Run as</p>
      {users.map((user) => (
        <button
          key={user.id}
          type="button"
          className="button small"
          aria-pressed={now.kind === 'user' && now.user.id === user.id}
          onClick={() =>
            void invoke({ userId: user.id }).then((session) => {
              identity.use({ kind: 'user', user: session.user, token: session.token })
            })
          }
        >
          {user.name}
        </button>
      ))}
      <Link className="link" href={links.users}>
        {users.length === 0 ? 'Create a test user' : 'All users'}
      </Link>
      {error !== null && <p className="fault">{error.message}</p>}
    </div>
  )
}
