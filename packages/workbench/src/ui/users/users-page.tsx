import { useAPI } from '@sdk/react'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { NewUserDialog } from '../frame/new-user-dialog.tsx'
import { Empty } from '../components/empty.tsx'
import { CodeBlock } from '../components/code-block.tsx'
import { identity, useChosenIdentity } from '../data/identity.ts'
import { stopActing, actAs } from '../frame/act-as.ts'
import { identityName } from '../frame/identity-name.ts'
import { SearchInput } from '../components/search-input.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Link } from 'wouter'
import type { WorkbenchUser } from '../../api.ts'
import { links } from '../links.ts'
import { toTimestamp } from '../components/format.ts'
import { Pill } from '../components/pill.tsx'
import { withFilter } from '../runs/filter-address.ts'
import './users.css'

/** Lists the app's users. Calls can be made as any of them. */
export function UsersPage(): ReactNode {
  const [search, setSearch] = useState('')
  const [isCreating, setCreating] = useState(false)
  const wanted = useDeferredValue(search.trim())
  const { data, error } = useAPI('GET /_workbench/api/users', {
    query: wanted === '' ? {} : { search: wanted },
    keepPreviousData: true,
  })
  if (data?.hasAuth === false) return <NoAuth />
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Users</h1>
          <p>Calls are made as the user you choose, with a real session and a real ctx.auth.</p>
        </div>
        <div className="actions">
          <button type="button" className="button primary" onClick={() => setCreating(true)}>
            New test user
          </button>
        </div>
      </header>
      <NowActing />
      <div className="toolbar">
        <SearchInput label="Search users" placeholder="Name or email" value={search} onChange={setSearch} />
      </div>
      {error !== null && <p className="notice" data-tone="bad">{`Cannot load users: ${error.message}`}</p>}
      {data !== undefined && data.users.length > 0 && <UserTable users={data.users} />}
      {data?.users.length === 0 && (
        <Empty title={wanted === '' ? 'No users yet' : `No users match ${wanted}`}>
          <p>Create a test user, or sign up in your app.</p>
        </Empty>
      )}
      {isCreating && <NewUserDialog onClose={() => setCreating(false)} />}
    </div>
  )
}

const AUTH_SOURCE = `// src/auth.ts
import { createAuth } from '@sdk/auth'
import { database } from './database.ts'

export const auth = createAuth({ database })`

const DATABASE_SOURCE = `// src/database.ts
import { openDatabase } from '@sdk/database'

export const database = openDatabase()`

const ROUTER_SOURCE = `// src/api/index.ts
import { createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createRouter } from '@sdk/server'
import { auth } from '../auth.ts'

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth, { optional: true }))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))`

function NoAuth(): ReactNode {
  return (
    <div className="page">
      <h1>Users</h1>
      <Empty title="This app has no users to choose from">
        <p>
          With @sdk/auth, users can sign up and sign in, and ctx.auth identifies the user. Save these files to see users
          here.
        </p>
        <CodeBlock title="Packages" code="npm install @sdk/auth @sdk/database" />
        <CodeBlock title="A database" code={DATABASE_SOURCE} />
        <CodeBlock title="Users and sessions" code={AUTH_SOURCE} />
        <CodeBlock title="Session middleware and sign-in routes" code={ROUTER_SOURCE} />
      </Empty>
    </div>
  )
}

/** The identity used for calls, with its token for use in a terminal. */
function NowActing(): ReactNode {
  const now = useChosenIdentity()
  return (
    <section className="card now-acting" aria-label="Calls are made as">
      <p>
        Calls are made as <strong>{identityName(now)}</strong>
        <span className="quiet">{IDENTITY_HINTS[now.kind]}</span>
      </p>
      <div className="actions">
        {now.kind === 'user' && (
          <>
            <CopyButton label="Copy token" text={now.token} />
            <CopyButton label="Copy curl header" text={`-H 'Authorization: Bearer ${now.token}'`} />
            <button type="button" className="button small" onClick={() => void stopActing()}>
              End session
            </button>
          </>
        )}
        {now.kind !== 'anonymous' && (
          <button type="button" className="button small" onClick={() => identity.use({ kind: 'anonymous' })}>
            Use Anonymous
          </button>
        )}
        {now.kind !== 'browser' && (
          <button type="button" className="button small" onClick={() => identity.use({ kind: 'browser' })}>
            Use this browser’s cookies
          </button>
        )}
      </div>
    </section>
  )
}

const IDENTITY_HINTS = {
  user: ', with the token of a session created for the workbench. If it is rejected, a new session is created once.',
  anonymous: ', without a token or cookies. Sockets still send this browser’s cookies.',
  browser: ', with its cookies. If a user is signed in to the app in this browser, calls are made as that user.',
} as const

function UserTable({ users }: { users: readonly WorkbenchUser[] }): ReactNode {
  const now = useChosenIdentity()
  return (
    <div className="table-scroll">
      <table className="table users">
        <thead>
          <tr>
            <th>User</th>
            <th className="user-since">Created</th>
            <th>
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map(({ id, name, email, createdAt }) => {
            const isUsed = now.kind === 'user' && now.user.id === id
            return (
              <tr key={id} data-selected={isUsed}>
                <td>
                  <div className="user-name">
                    {name} {isUsed && <Pill tone="good">active</Pill>}
                  </div>
                  <div className="quiet small user-mail">{email}</div>
                </td>
                <td className="quiet small user-since">{toTimestamp(Date.parse(createdAt))}</td>
                <td>
                  <div className="actions end">
                    <Link className="button quiet small" href={withFilter(links.runs, { identity: email })}>
                      Runs<span className="unseen"> of {name}</span>
                    </Link>
                    {!isUsed && (
                      <button
                        type="button"
                        className="button small"
                        aria-label={`Act as ${name}`}
                        onClick={() => void actAs(id)}
                      >
                        Act as
                      </button>
                    )}
                  </div>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
