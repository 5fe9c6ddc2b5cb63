import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { toChunks, toDuration } from '../components/format.ts'
import { useTick } from '../components/use-tick.ts'
import type { RunnerCall } from './use-runner-call.ts'

/** Shown only after so many ms, so that the page does not flicker. */
const SHOW_AFTER_MS = 400

/** After so many ms without an answer, possible reasons are shown. */
const EXPLAIN_AFTER_MS = 10_000

/** After so many ms, a handler that was told to stop should have stopped. */
const CANCEL_GRACE_MS = 2000

/** How long a call takes by now, and what to know when that is long. */
export function WaitingStatus({ call, run }: { call: RunnerCall; run: Run | undefined }): ReactNode {
  const isLeft = call.state === 'cancelled' && run?.state === 'running'
  const now = useTick(call.isRunning || isLeft)
  const elapsed = Math.max(0, now - call.startedAt)
  if (isLeft) return elapsed - (call.recording.total ?? 0) > CANCEL_GRACE_MS ? <StillRuns /> : null
  if (!call.isRunning || elapsed < SHOW_AFTER_MS) return null
  return (
    <div className="waiting" role="status">
      <span className="num">{toDuration(Math.floor(elapsed / 100) * 100)}</span> ·{' '}
      {call.recording.headAt === null ? 'waiting for the answer' : `${toChunks(call.recording.chunks.length)} so far`}
      {elapsed > EXPLAIN_AFTER_MS && (
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
