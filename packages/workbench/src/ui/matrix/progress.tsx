import { useState, type ReactNode } from 'react'
import type { ApiError } from '@sdk/protocol'
import { Keys } from '../components/keys.tsx'
import { useTick } from '../components/use-tick.ts'
import type { LiveMatrix } from './use-matrix.ts'

interface ProgressProps {
  readonly matrix: LiveMatrix
  readonly canStart: boolean
  readonly onStart: () => void
}

/** Begins, shows how far it is, and stops. */
export function Progress({ matrix, canStart, onStart }: ProgressProps): ReactNode {
  const { cells, isRunning, stop } = matrix
  const over = cells.filter(({ progress }) => progress === 'over').length
  return (
    <div className="matrix-progress">
      {isRunning ? (
        <button type="button" className="button danger" onClick={matrix.cancel}>
          Cancel <Keys of="Escape" />
        </button>
      ) : (
        <button type="button" className="button primary" disabled={!canStart} onClick={onStart}>
          Run <Keys of="mod+Enter" />
        </button>
      )}
      {cells.length > 0 && (
        <>
          <progress max={cells.length} value={over} aria-label="Calls that are over" />
          <span className="num">
            {over} / {cells.length}
          </span>
        </>
      )}
      {stop !== null && <Stopped key={cells.length + over} error={stop} onGoOn={matrix.resume} />}
    </div>
  )
}

/** Too many calls: how long to wait, and then on. */
function Stopped({ error: { message, retryAfter = 0 }, onGoOn }: { error: ApiError; onGoOn: () => void }): ReactNode {
  const [began] = useState(() => performance.now())
  const now = useTick(retryAfter > 0)
  const left = Math.ceil(Math.max(0, retryAfter - (now - began) / 1000))
  return (
    <p className="notice" role="status">
      {message}.{' '}
      {left > 0 ? (
        `There is room again in ${left} s.`
      ) : (
        <button type="button" className="button small" onClick={onGoOn}>
          Go on with the rest
        </button>
      )}
    </p>
  )
}
