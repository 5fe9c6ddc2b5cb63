import { useAPI } from '@sdk/react'
import { Pause, Play } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { links } from '../links.ts'
import type { Feed } from './run-feed.ts'

interface RunsBarProps {
  readonly feed: Feed
  readonly isPaused: boolean
  readonly onPause: (isPaused: boolean) => void
  /** The runs that were chosen to be compared. */
  readonly marked: readonly string[]
}

/** The head of the list, with what can be done with all of it. */
export function RunsBar({ feed: { runs, hasMore }, isPaused, onPause, marked }: RunsBarProps): ReactNode {
  const [a, b] = marked
  return (
    <header className="runs-bar">
      <h1>Runs</h1>
      <span className="quiet">
        {runs.length}
        {hasMore ? '+' : ''}
      </span>
      <span className="runs-actions">
        {a !== undefined && b !== undefined ? (
          <Link className="button primary" href={links.compare(b, a)}>
            Compare two
          </Link>
        ) : (
          <span className="quiet marks">
            {a === undefined ? 'j k to move · Enter opens · p pins · x marks' : 'mark one more to compare'}
          </span>
        )}
        <button type="button" className="button" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
          {isPaused ? <Play size={13} aria-hidden /> : <Pause size={13} aria-hidden />}
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <ClearButton isEmpty={runs.length === 0} />
      </span>
    </header>
  )
}

/** Deletes all runs but the pinned ones, when asked twice. */
function ClearButton({ isEmpty }: { isEmpty: boolean }): ReactNode {
  const [isAsking, setAsking] = useState(false)
  const { invoke } = useAPI('DELETE /_workbench/api/runs')
  if (!isAsking) {
    return (
      <button type="button" className="button" disabled={isEmpty} onClick={() => setAsking(true)}>
        Clear
      </button>
    )
  }
  return (
    <span role="group" aria-label="Delete all runs but the pinned ones?" className="runs-ask">
      <button
        type="button"
        className="button danger"
        onClick={() => {
          setAsking(false)
          void invoke()
        }}
      >
        Delete all but pinned
      </button>
      <button type="button" className="button" onClick={() => setAsking(false)}>
        Keep
      </button>
    </span>
  )
}
