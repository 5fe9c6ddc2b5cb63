import type { ReactNode } from 'react'
import type { RunError, RunFrame } from '../../run.ts'
import { EditorLink } from '../parts/editor-link.tsx'

/** What a handler threw: the code around it, the way there, and what caused it. */
export function Thrown({ error }: { error: RunError }): ReactNode {
  const { codeFrame, frames, cause } = error
  return (
    <>
      {codeFrame !== '' && <pre tabIndex={0}>{codeFrame}</pre>}
      <Frames frames={frames} />
      {cause !== null && (
        <section className="cause" aria-label="Caused by">
          <h3>
            Caused by {cause.name}: {cause.message}
          </h3>
          <Thrown error={cause} />
        </section>
      )}
    </>
  )
}

/** A run of frames that are all of the project, or all of libraries. */
interface Stretch {
  readonly isForeign: boolean
  readonly frames: readonly RunFrame[]
}

/** Puts neighbours together, so that those of libraries fold. */
function toStretches(frames: readonly RunFrame[]): Stretch[] {
  const stretches: { isForeign: boolean; frames: RunFrame[] }[] = []
  for (const frame of frames) {
    const last = stretches.at(-1)
    if (last?.isForeign === frame.isForeign) last.frames.push(frame)
    else stretches.push({ isForeign: frame.isForeign, frames: [frame] })
  }
  return stretches
}

function Frames({ frames }: { frames: readonly RunFrame[] }): ReactNode {
  if (frames.length === 0) return null
  return (
    <div className="frames">
      {toStretches(frames).map(({ isForeign, frames: some }, index) =>
        isForeign ? (
          // oxlint-disable-next-line react/no-array-index-key -- a stack does not change
          <details key={index}>
            <summary>{some.length === 1 ? '1 library frame' : `${some.length} library frames`}</summary>
            <Lines frames={some} />
          </details>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- a stack does not change
          <Lines key={index} frames={some} />
        ),
      )}
    </div>
  )
}

function Lines({ frames }: { frames: readonly RunFrame[] }): ReactNode {
  return (
    <ol>
      {frames.map(({ name, file, line, column }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a stack does not change
        <li key={index}>
          <span className="frame-name">{name === '' ? '(anonymous)' : name}</span>
          <EditorLink file={file} line={line} column={column} />
        </li>
      ))}
    </ol>
  )
}
