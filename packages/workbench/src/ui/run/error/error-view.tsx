import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { links } from '../../links.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { toMarkdown } from './error-markdown.ts'
import type { RunFailure } from './failure.ts'
import { FailureHint } from './failure-hint.tsx'
import { ErrorStack } from './error-stack.tsx'

/** Why a run went wrong: in a line, in code, and as the caller was told; and what helps. */
export function ErrorView({ failure }: { failure: RunFailure }): ReactNode {
  const { message, envelope, thrown, run } = failure
  return (
    <article className="error-view">
      <header>
        <p className="error-kind">{failureKind(failure)}</p>
        <h2>{message}</h2>
        <div className="toolbar">
          <CopyButton label="Copy for an assistant" text={() => toMarkdown(failure)} />
          {run !== undefined && <SameError runId={run.id} />}
        </div>
      </header>
      <FailureHint failure={failure} />
      {thrown !== null && <ErrorStack error={thrown} />}
      {envelope !== null && (
        <section aria-label="What the caller was told">
          <h3>What the caller was told</h3>
          <pre tabIndex={0}>{JSON.stringify(envelope, null, 2)}</pre>
        </section>
      )}
    </article>
  )
}

function failureKind({ thrown, code, status }: RunFailure): string {
  return [thrown?.name, code, status === 0 ? 'no answer' : `${status}`].filter((part) => part).join(' · ')
}

function SameError({ runId }: { runId: string }): ReactNode {
  const { data } = useAPI('GET /_workbench/api/errors', { staleTime: 1000 })
  const group = data?.groups.find(({ runIds }) => runIds.includes(runId))
  if (group === undefined) return null
  return (
    <Link className="link small" href={`${links.errors}?key=${encodeURIComponent(group.key)}`}>
      {group.count === 1 ? 'Seen once' : `The same error in ${group.count} runs`}
    </Link>
  )
}
