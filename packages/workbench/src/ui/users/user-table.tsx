import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { WorkbenchUser } from '../../api.ts'
import { useChosenIdentity } from '../data/identity.ts'
import { actAs } from '../frame/act-as.ts'
import { links } from '../links.ts'
import { toTimestamp } from '../components/format.ts'
import { Pill } from '../components/pill.tsx'
import { withFilter } from '../runs/filter-address.ts'

/** Users, each to be used, and the way to their runs. */
export function UserTable({ users }: { users: readonly WorkbenchUser[] }): ReactNode {
  const now = useChosenIdentity()
  return (
    <div className="table-scroll">
      <table className="table users">
        <thead>
          <tr>
            <th>User</th>
            <th className="user-since">Since</th>
            <th>
              <span className="unseen">What to do</span>
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
                    {name} {isUsed && <Pill tone="good">used now</Pill>}
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
                        aria-label={`Use as ${name}`}
                        onClick={() => void actAs(id)}
                      >
                        Use as
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
