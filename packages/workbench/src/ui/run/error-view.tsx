import type { ReactNode } from 'react'
import type { Failure } from './failure.ts'
import { Thrown } from './thrown.tsx'

/** Why a run went wrong: in a line, in code, and as the caller was told. */
export function ErrorView({ failure }: { failure: Failure }): ReactNode {
  const { message, code, status, envelope, thrown } = failure
  return (
    <article className="error-view">
      <header>
        <p className="error-kind">
          {[thrown?.name, code, status === 0 ? null : status]
            .filter((part) => part !== null && part !== undefined)
            .join(' · ')}
        </p>
        <h2>{message}</h2>
      </header>
      {thrown !== null && <Thrown error={thrown} />}
      {envelope !== null && (
        <section aria-label="What the caller was told">
          <h3>What the caller was told</h3>
          <pre tabIndex={0}>{JSON.stringify(envelope, null, 2)}</pre>
        </section>
      )}
    </article>
  )
}
