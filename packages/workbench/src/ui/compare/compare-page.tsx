import type { ReactNode } from 'react'

/** Compare. */
export function ComparePage(): ReactNode {
  return <h1>Compare</h1>
}
