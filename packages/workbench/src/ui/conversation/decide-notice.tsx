import type { ReactNode } from 'react'
import { useRouter } from 'wouter'
import { links } from '../links.ts'

/** A link to the page of a durable run that waits for an event. */
export function DecideNotice({ runId }: { runId: string }): ReactNode {
  const { base } = useRouter()
  return (
    <p className="notice">
      The run waits. {/* In a new tab, since leaving this page cancels the call. */}
      <a href={base + links.durableRun(runId)} target="_blank" rel="noreferrer">
        Decide on its page
      </a>
      , and the answer continues here.
    </p>
  )
}
