import type { ReactNode } from 'react'

/** Matrix. */
export function MatrixPage(): ReactNode {
  return <h1>Matrix</h1>
}
