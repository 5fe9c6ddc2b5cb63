import type { ReactNode } from 'react'

/** Routes. */
export function RoutesPage({ route }: { route: string | null }): ReactNode {
  return <h1>{route}</h1>
}
