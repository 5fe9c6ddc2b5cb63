import type { ReactNode } from 'react'

/** Users. */
export function UsersPage(): ReactNode {
  return <h1>Users</h1>
}
