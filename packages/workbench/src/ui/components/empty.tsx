import type { ReactNode } from 'react'

interface EmptyProps {
  readonly title: string
  /** Is it the whole page, so that its title is the page's? @default false */
  readonly isPage?: boolean
  readonly children?: ReactNode
}

/** An empty state: why there is nothing yet, and what to do. */
export function Empty({ title, isPage = false, children }: EmptyProps): ReactNode {
  return (
    <div className="empty">
      {isPage ? <h1 className="empty-title">{title}</h1> : <p className="empty-title">{title}</p>}
      {children}
    </div>
  )
}
