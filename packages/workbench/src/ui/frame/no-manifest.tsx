import type { ApiError } from '@sdk/protocol'
import type { ReactNode } from 'react'

/** What stands in place of a page while it is not known what the project consists of: why, and what to do. */
export function NoManifest({ error }: { error: ApiError | null }): ReactNode {
  if (error === null) return <p className="page quiet">Loading</p>
  if (error.status === 401 || error.status === 403) return <LinkNeeded />
  if (error.status === 404) {
    return (
      <Why title="There is no workbench at this address">
        <p>
          It is part of <code>sdk dev</code>. Start it in your project, and open the link that it prints.
        </p>
      </Why>
    )
  }
  return (
    <Why title="The dev server does not answer">
      <p>
        Is <code>sdk dev</code> running? This page goes on by itself when it is. ({error.message})
      </p>
    </Why>
  )
}

/** Said wherever the workbench was asked without its cookie. */
function LinkNeeded(): ReactNode {
  return (
    <Why title="Open the link that sdk dev printed">
      <p>
        The workbench can read all that your app does, so it opens only for who has the link of this start. It stands in
        the terminal, below the address of your app.
      </p>
    </Why>
  )
}

function Why({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <div className="page">
      <h1>{title}</h1>
      {children}
    </div>
  )
}
