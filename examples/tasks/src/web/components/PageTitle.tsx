/** Shows what a single-page app must do on navigation: set the document title and move the focus. */
import { useEffect, useRef } from 'react'
import { hasMoved } from '../router.tsx'
import { Here } from './Here.tsx'

/** The heading of a page, and the people who look at it. */
export function PageTitle({ title, lead }: { title: string; lead: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tasks`
    if (hasMoved()) heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className="page-title">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p className="quiet">{lead}</p>
      <Here />
    </div>
  )
}
