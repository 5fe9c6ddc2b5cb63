import type { ReactNode } from 'react'

interface EmptyProps {
  readonly title: string
  /** Whether the empty state fills the page, in which case its title is the page's heading. @default false */
  readonly isPage?: boolean
  readonly children?: ReactNode
}

/** An empty state, which explains why there is no content and what to do about it. */
export function Empty({ title, isPage = false, children }: EmptyProps): ReactNode {
  return (
    <div className="empty">
      {isPage ? <h1 className="empty-title">{title}</h1> : <p className="empty-title">{title}</p>}
      {children}
    </div>
  )
}
