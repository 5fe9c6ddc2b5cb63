import type { ReactNode } from 'react'
import type { Problem } from '../../manifest.ts'
import { EditorLink } from './editor-link.tsx'

/** A file that failed to load, with the error message, the location, and the source lines around it. */
export function ProblemView({ problem: { message, file, place, frame } }: { problem: Problem }): ReactNode {
  return (
    <section className="problem" role="alert">
      <h2>{message}</h2>
      <p>
        <EditorLink file={file} line={place?.line} column={place?.column} />
      </p>
      {frame !== '' && <pre tabIndex={0}>{frame}</pre>}
    </section>
  )
}
