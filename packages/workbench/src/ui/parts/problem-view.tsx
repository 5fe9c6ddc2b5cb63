import type { ReactNode } from 'react'
import type { Problem } from '../../manifest.ts'

/** A file that does not load: what, where, and the lines around it. */
export function ProblemView({ problem: { message, file, place, frame } }: { problem: Problem }): ReactNode {
  return (
    <section className="problem" role="alert">
      <h2>{message}</h2>
      <p className="path">{place === null ? file : `${file}:${place.line}:${place.column}`}</p>
      {frame !== '' && <pre>{frame}</pre>}
    </section>
  )
}
