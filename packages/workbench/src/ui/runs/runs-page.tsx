import type { ReactNode } from 'react'

/** Runs. */
export function RunsPage(): ReactNode {
  return <h1>Runs</h1>
}
