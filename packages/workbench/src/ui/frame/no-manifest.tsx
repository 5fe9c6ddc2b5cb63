import type { ApiError } from '@sdk/protocol'
import type { ReactNode } from 'react'
import { isLinkRequired } from './connection.ts'

/** The content shown in place of a page while there is no manifest. It explains the reason and what to do. */
export function NoManifest({ error }: { error: ApiError | null }): ReactNode {
  if (error === null) return <p className="page quiet">Loading</p>
  if (isLinkRequired(error))
    return (
      <Why title="Open the link that sdk dev printed">
        The workbench has access to all of your app’s data, so you can only open it with its link. The link is in the
        terminal, below your app’s URL.
      </Why>
    )
  if (error.status === 404)
    return (
      <Why title="No workbench at this address">
        The workbench is part of <code>sdk dev</code>. Start it in your project, and open the link that it prints.
      </Why>
    )
  return (
    <Why title="The dev server is not responding">
      Is <code>sdk dev</code> running? This page reconnects automatically once it is. ({error.message})
    </Why>
  )
}

function Why({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <div className="page">
      <h1>{title}</h1>
      <p>{children}</p>
    </div>
  )
}

/**
 * A notice above an open page, shown if the server runs a different project or has a new secret. The page remains
 * readable.
 */
export function NewLinkNeeded(): ReactNode {
  return (
    <p className="notice new-link" role="alert">
      The link to this server has changed. Open the link that <code>sdk dev</code> printed to continue; your input on
      this page is kept until then.
    </p>
  )
}
