import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { toChunks, toDuration } from '../parts/figures.ts'
import { useTick } from '../run/use-tick.ts'
import type { BenchCall } from './use-call.ts'

/** Sooner than this nobody waits, and the page would only flicker, in ms. */
const SOON = 400

/** After so long without an answer it is time to say what may be wrong, in ms. */
const LONG = 10_000

/** After so long a handler that was told to stop should have, in ms. */
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
          The handler still runs. Cancel aborts <code>ctx.signal</code>; a handler that does not listen to it, or hand
          it to what it calls, goes on.
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
