import type { ReactNode } from 'react'

/** Run. */
export function RunPage({ id }: { id: string }): ReactNode {
  return <h1>{id}</h1>
}
