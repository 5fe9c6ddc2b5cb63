import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { links } from '../links.ts'
import { toTimestamp } from '../components/format.ts'
import { isLost } from '../run/run-input.ts'
import { inputOf } from '../runs/input-of.ts'
import type { RunnerState } from './use-runner.ts'

/** The displayed run and its actions. */
export function ShownRun({ runner }: { runner: RunnerState }): ReactNode {
  const { run, setInput, show } = runner
  const { invoke } = useAPI('POST /_workbench/api/runs/:id/pin', { invalidates: ['GET /_workbench/api/runs/:id'] })
  if (run === undefined) return null
  return (
    <div className="shown-run">
      <span className="quiet">
        Run at <span className="num">{toTimestamp(run.startedAt)}</span> by {run.caller}
      </span>
      <button
        type="button"
        className="button small"
        disabled={isLost(run.request.body)}
        title={isLost(run.request.body) ? 'The body of this run was not stored completely' : undefined}
        onClick={() => setInput(inputOf(run))}
      >
        Use this input
      </button>
      <button
        type="button"
        className="button small"
        aria-pressed={run.isPinned}
        onClick={() => void invoke({ isPinned: !run.isPinned }, { params: { id: run.id } })}
      >
        {run.isPinned ? 'Pinned' : 'Pin'}
      </button>
      <Link className="button small" href={links.run(run.id)}>
        Open
      </Link>
      <button type="button" className="button quiet small" onClick={() => show(null)}>
        Close
      </button>
    </div>
  )
}
