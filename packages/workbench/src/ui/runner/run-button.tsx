import type { ReactNode } from 'react'
import { Keys } from '../components/keys.tsx'

interface RunButtonProps {
  readonly canRun: boolean
  readonly isRunning: boolean
  readonly onRun: () => void
  readonly onCancel: () => void
}

/** A button that starts a call, and cancels it while it is running. */
export function RunButton({ canRun, isRunning, onRun, onCancel }: RunButtonProps): ReactNode {
  return isRunning ? (
    <button type="button" className="button danger" onClick={onCancel}>
      Cancel <Keys of="Escape" />
    </button>
  ) : (
    <button type="button" className="button primary" disabled={!canRun} onClick={onRun}>
      Run <Keys of="mod+Enter" />
    </button>
  )
}
