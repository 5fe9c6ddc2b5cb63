import type { ReactNode } from 'react'
import type { RunError, RunFrame } from '../../../run.ts'
import { EditorLink } from '../../components/editor-link.tsx'

/** An error thrown by a handler, with the source lines around it, its stack and its causes. */
export function ErrorStack({ error }: { error: RunError }): ReactNode {
  const { codeFrame, frames, cause } = error
  return (
    <>
      {codeFrame !== '' && <pre tabIndex={0}>{codeFrame}</pre>}
      <StackFrames frames={frames} />
      {cause !== null && (
        <section className="cause" aria-label="Caused by">
          <h3>
            Caused by {cause.name}: {cause.message}
          </h3>
          <ErrorStack error={cause} />
        </section>
      )}
    </>
  )
}

/** Groups adjacent frames, so that library frames can be collapsed. */
function toFrameGroups(frames: readonly RunFrame[]): { isForeign: boolean; frames: RunFrame[] }[] {
  const stretches: ReturnType<typeof toFrameGroups> = []
  for (const frame of frames) {
    const last = stretches.at(-1)
    if (last?.isForeign === frame.isForeign) last.frames.push(frame)
    else stretches.push({ isForeign: frame.isForeign, frames: [frame] })
  }
  return stretches
}

function StackFrames({ frames }: { frames: readonly RunFrame[] }): ReactNode {
  if (frames.length === 0) return null
  return (
    <div className="frames">
      {toFrameGroups(frames).map(({ isForeign, frames: some }, index) =>
        isForeign ? (
          // oxlint-disable-next-line react/no-array-index-key -- a stack does not change
          <details key={index}>
            <summary className="hint">
              {some.length === 1 ? '1 library frame' : `${some.length} library frames`}
            </summary>
            <FrameLines frames={some} />
          </details>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- a stack does not change
          <FrameLines key={index} frames={some} />
        ),
      )}
    </div>
  )
}

function FrameLines({ frames }: { frames: readonly RunFrame[] }): ReactNode {
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
