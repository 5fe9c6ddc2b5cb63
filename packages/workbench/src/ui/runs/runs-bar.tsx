import { useAPI } from '@sdk/react'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { links } from '../links.ts'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { toCount } from '../components/format.ts'
import { Keys } from '../components/keys.tsx'
import type { Feed } from './run-feed.ts'

interface RunsBarProps {
  readonly feed: Feed
  readonly isPaused: boolean
  readonly onPause: (isPaused: boolean) => void
  readonly marked: readonly string[]
}

/** The header of the list, with actions for all runs. */
export function RunsBar({ feed: { head, runs }, isPaused, onPause, marked }: RunsBarProps): ReactNode {
  const { invoke: clear } = useAPI('DELETE /_workbench/api/runs')
  const [a, b] = marked
  return (
    <header className="page-head">
      <h1>
        Runs <span className="count">{toCount(head?.matching ?? runs.length)}</span>
      </h1>
      <div className="actions">
        {a === undefined && (
          <span className="key-hints quiet small">
            <Keys of="j k" /> move <Keys of="Enter" /> open <Keys of="p" /> pin <Keys of="x" /> select
          </span>
        )}
        {a !== undefined && b === undefined && <span className="quiet small">Select another run to compare</span>}
        {a !== undefined && b !== undefined && (
          <Link className="button primary" href={links.compare(a, b)}>
            Compare selected
          </Link>
        )}
        <button type="button" className="button" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
          {isPaused ? <Play size={13} aria-hidden /> : <Pause size={13} aria-hidden />}
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <ConfirmButton
          label="Clear runs"
          question="All runs except pinned ones will be deleted."
          isDisabled={runs.length === 0}
          onConfirm={() => void clear()}
        />
      </div>
    </header>
  )
}
