import type { ReactNode } from 'react'

interface EmptyProps {
  readonly title: string
  /** What to do about it. */
  readonly children?: ReactNode
}

/** What stands where there is nothing yet: why, and what to do. */
export function Empty({ title, children }: EmptyProps): ReactNode {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  )
}
