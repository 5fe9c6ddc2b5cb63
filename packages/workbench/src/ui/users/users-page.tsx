import { useAPI } from '@sdk/react'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { NewUserDialog } from '../frame/new-user-dialog.tsx'
import { Empty } from '../components/empty.tsx'
import { NoAuth } from './no-auth.tsx'
import { NowActing } from './now-acting.tsx'
import { UserTable } from './user-table.tsx'
import './users.css'

/** The users of the app, to make calls as them. */
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
          <p>Calls are made as whoever you choose: by a real session, so with a real ctx.auth.</p>
        </div>
        <div className="actions">
          <button type="button" className="button primary" onClick={() => setCreating(true)}>
            New test user
          </button>
        </div>
      </header>
      <NowActing />
      <div className="toolbar">
        <input
          type="search"
          aria-label="Search users"
          placeholder="Name or email"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {error !== null && <p className="notice" data-tone="bad">{`The users cannot be read: ${error.message}`}</p>}
      {data !== undefined && data.users.length > 0 && <UserTable users={data.users} />}
      {data?.users.length === 0 && (
        <Empty title={wanted === '' ? 'No users yet' : `Nobody is called ${wanted}`}>
          <p>Make a test user, or sign up in your app.</p>
        </Empty>
      )}
      {isCreating && <NewUserDialog onClose={() => setCreating(false)} />}
    </div>
  )
}
