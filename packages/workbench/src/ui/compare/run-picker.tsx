import { useState, type ReactNode } from 'react'
import { useRuns } from '../data/use-runs.ts'
import { Empty } from '../components/empty.tsx'
import { toDuration, toTimestamp } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { calledBy, RouteName } from '../components/route-name.tsx'
import { identityLabel } from '../runs/run-row.tsx'

interface RunPickerProps {
  /** `A` or `B`. */
  readonly side: string
  /** Runs of this route are offered first; left out: all. */
  readonly route?: string | undefined
  /** The other one, which is not offered. */
  readonly other: string | null
  readonly onPick: (id: string) => void
}

/** Chooses a run among the latest, by a search. */
export function RunPicker({ side, route, other, onPick }: RunPickerProps): ReactNode {
  const [search, setSearch] = useState('')
  const [isSame, setSame] = useState(true)
  const only = route !== undefined && isSame ? { route } : {}
  const list = useRuns({ ...only, ...(search === '' ? {} : { search }), limit: 30 })
  const runs = list?.runs.filter(({ id }) => id !== other) ?? []
  return (
    <section className="picker" aria-label={`Pick run ${side}`}>
      <h2>Pick run {side}</h2>
      <div className="toolbar">
        <input
          type="search"
          aria-label={`Search runs for ${side}`}
          placeholder="Search path or error"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {route !== undefined && (
          <label className="check">
            <input type="checkbox" checked={isSame} onChange={(event) => setSame(event.target.checked)} />
            Only the same route
          </label>
        )}
      </div>
      {list !== undefined && runs.length === 0 && <Empty title="No other run to compare with" />}
      <ul className="rows">
        {runs.map((run) => (
          <li key={run.id}>
            <button type="button" className="picker-row" onClick={() => onPick(run.id)}>
              <RunPill run={run} />
              <span className="cut">
                <RouteName route={calledBy(run)} />
              </span>
              <span className="num">{run.ms === null ? '…' : toDuration(run.ms)}</span>
              <span className="quiet small cut">{identityLabel(run)}</span>
              <span className="num quiet">{toTimestamp(run.startedAt)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
