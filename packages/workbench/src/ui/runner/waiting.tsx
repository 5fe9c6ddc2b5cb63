import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { toChunks, toDuration } from '../parts/figures.ts'
import { useTick } from '../run/use-tick.ts'
import type { BenchCall } from './use-call.ts'

/** Shown only after so many ms, so that the page does not flicker. */
const SOON = 400

/** After so many ms without an answer, possible reasons are shown. */
const LONG = 10_000

/** After so many ms, a handler that was told to stop should have stopped. */
const GRACE = 2000

/** How long a call takes by now, and what to know when that is long. */
export function Waiting({ call, run }: { call: BenchCall; run: Run | undefined }): ReactNode {
  const isLeft = call.state === 'cancelled' && run?.state === 'running'
  const now = useTick(call.isRunning || isLeft)
  const elapsed = Math.max(0, now - call.startedAt)
  if (isLeft) return elapsed - (call.recording.total ?? 0) > GRACE ? <StillRuns /> : null
  if (!call.isRunning || elapsed < SOON) return null
  return (
    <div className="waiting" role="status">
      <span className="num">{toDuration(Math.floor(elapsed / 100) * 100)}</span> ·{' '}
      {call.recording.headAt === null ? 'waiting for the answer' : `${toChunks(call.recording.chunks.length)} so far`}
      {elapsed > LONG && (
        <p>
          The handler still runs. Cancel aborts <code>ctx.signal</code>; a handler that does not listen to it, or does
          not pass it on to what it calls, continues.
        </p>
      )}
    </div>
  )
}

function StillRuns(): ReactNode {
  return (
    <div className="waiting" role="status">
      The call was cancelled, but its handler still runs: it does not listen to <code>ctx.signal</code>.
    </div>
  )
}
