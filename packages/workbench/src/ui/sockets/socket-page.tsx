import type { ReactNode } from 'react'

/** Socket. */
export function SocketPage({ path }: { path: string }): ReactNode {
  return <h1>{path}</h1>
}
