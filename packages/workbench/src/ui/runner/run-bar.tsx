import type { ReactNode } from 'react'
import { Keys } from '../components/keys.tsx'
import { RouteName } from '../components/route-name.tsx'

interface RunnerBarProps {
  readonly route: string
  /** Is it known what to send? */
  readonly isReady: boolean
  readonly isRunning: boolean
  readonly onRun: () => void
  readonly onCancel: () => void
}

/** The route's name, and the button that calls it or stops the call. */
export function RunnerBar({ route, isReady, isRunning, onRun, onCancel }: RunnerBarProps): ReactNode {
  return (
    <div className="run-bar">
      <h1>
        <RouteName route={route} />
      </h1>
      {isRunning ? (
        <button type="button" className="button danger" onClick={onCancel}>
          Cancel <Keys of="Escape" />
        </button>
      ) : (
        <button type="button" className="button primary" disabled={!isReady} onClick={onRun}>
          Run <Keys of="mod+Enter" />
        </button>
      )}
    </div>
  )
}
