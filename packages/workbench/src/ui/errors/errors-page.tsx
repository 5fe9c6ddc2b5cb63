import type { ReactNode } from 'react'

/** Errors. */
export function ErrorsPage(): ReactNode {
  return <h1>Errors</h1>
}
