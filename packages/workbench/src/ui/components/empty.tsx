import type { ReactNode } from 'react'

interface EmptyProps {
  readonly title: string
  /** Whether it fills the page, so that its title is the heading of the page. @default false */
  readonly isPage?: boolean
  readonly children?: ReactNode
}

/** An empty state: the reason, and what to do. */
export function Empty({ title, isPage = false, children }: EmptyProps): ReactNode {
  return (
    <div className="empty">
      {isPage ? <h1 className="empty-title">{title}</h1> : <p className="empty-title">{title}</p>}
      {children}
    </div>
  )
}
