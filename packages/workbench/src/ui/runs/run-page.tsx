import { useState, type ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { Run } from '../../run.ts'
import { useRun } from '../data/use-runs.ts'
import { links } from '../links.ts'
import { Empty } from '../components/empty.tsx'
import { RouteName } from '../components/route-name.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { RunView } from '../run/run-view.tsx'
import { fromAddress, withFilter, type AddressFilter } from './filter-address.ts'
import { inputOf } from './input-of.ts'
import { RunActions } from './run-actions.tsx'
import { RunDetails } from './run-details.tsx'
import { SocketFrames } from './socket-frames.tsx'
import { useNeighbours } from './use-neighbours.ts'
import { usePin } from './use-pin.ts'
import './runs.css'

/** One run, with all that was recorded of it. */
export function RunPage({ id }: { id: string }): ReactNode {
  const [search] = useSearchParams()
  const filter = fromAddress(search)
  const { run, isMissing } = useRun(id)
  if (run !== undefined) return <RecordedRun run={run} filter={filter} />
  if (!isMissing) return <p className="page quiet">Loading</p>
  return (
    <div className="page">
      <h1>Run</h1>
      <Empty title="There is no such run">
        <p>
          It was cleared, or is older than what is kept; pinned runs stay.{' '}
          <Link href={withFilter(links.runs, filter)}>All runs</Link>
        </p>
      </Empty>
    </div>
  )
}

function RecordedRun({ run: recorded, filter }: { run: Run; filter: AddressFilter }): ReactNode {
  const [, go] = useLocation()
  const [isPinned, setPinned] = useState(recorded.isPinned)
  const run = { ...recorded, isPinned }
  const neighbours = useNeighbours(run.id, filter)
  const pin = usePin((now) => setPinned(now.isPinned))
  const name = run.route ?? `${run.method} ${run.target}`
  const step = (to: string | null) => (): void => {
    if (to !== null) go(withFilter(links.run(to), filter))
  }
  useHotkeys({ j: step(neighbours.older), k: step(neighbours.newer), p: () => pin(run) })
  return (
    <div className="page full run-page">
      <header className="page-head">
        <div>
          <p className="small">
            <Link href={withFilter(links.runs, filter)}>Runs</Link> / {run.id}
          </p>
          <h1>
            <RouteName route={name} />
          </h1>
          {run.target !== name.replace(/^\S+ /, '') && <p className="path">{run.target}</p>}
        </div>
        <RunActions run={run} filter={filter} neighbours={neighbours} onPin={() => pin(run)} />
      </header>
      <RunDetails run={run} />
      {run.kind === 'socket' && run.pieces.length > 0 ? (
        <SocketFrames run={recorded} />
      ) : (
        <RunView call={null} run={recorded} route={name} input={inputOf(recorded)} />
      )}
    </div>
  )
}
