import ArrowLeftRight from 'lucide-react/icons/arrow-left-right'
import { useMemo, useState, type ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { Run } from '../../run.ts'
import { useRun, useRuns } from '../data/use-runs.ts'
import { links } from '../links.ts'
import { Empty } from '../components/empty.tsx'
import { calledBy, RouteName } from '../components/route-name.tsx'
import { toDuration, toTimestamp } from '../components/format.ts'
import { RunPill } from '../components/pill.tsx'
import { identityLabel } from '../runs/run-row.tsx'
import { SearchInput } from '../components/search-input.tsx'
import { TableHead } from '../components/table-head.tsx'
import { Tabs } from '../components/tabs.tsx'
import { isTruncatedRun, outputsOf, requestOf, toDeltas } from './comparison.ts'
import { DiffView } from './diff-view.tsx'
import { StreamOverlay } from './stream-overlay.tsx'
import { TraceOverlay } from './trace-overlay.tsx'
import './compare.css'

/** A page that shows two runs side by side. */
export function ComparePage(): ReactNode {
  const [search, setSearch] = useSearchParams()
  const [a, b] = [search.get('a'), search.get('b')]
  const first = useRun(a)
  const second = useRun(b)
  const pick = (next: { a?: string | null; b?: string | null }): void => {
    const both = Object.entries({ a, b, ...next }).filter((entry): entry is [string, string] => Boolean(entry[1]))
    setSearch(new URLSearchParams(both))
  }
  return (
    <div className="page compare">
      <header className="page-head">
        <h1>Compare</h1>
        {a !== null && b !== null && (
          <button type="button" className="button" onClick={() => pick({ a: b, b: a })}>
            <ArrowLeftRight size={13} aria-hidden />
            Swap
          </button>
        )}
      </header>
      <div className="sides">
        <Side side="A" id={a} {...first} onDrop={() => pick({ a: null })} />
        <Side side="B" id={b} {...second} onDrop={() => pick({ b: null })} />
      </div>
      {a === null && (
        <RunPicker side="A" route={second.run?.route ?? undefined} other={b} onPick={(id) => pick({ a: id })} />
      )}
      {a !== null && b === null && (
        <RunPicker side="B" route={first.run?.route ?? undefined} other={a} onPick={(id) => pick({ b: id })} />
      )}
      {first.run !== undefined && second.run !== undefined && <Comparison a={first.run} b={second.run} />}
    </div>
  )
}

type SideProps = ReturnType<typeof useRun> & { side: 'A' | 'B'; id: string | null; onDrop: () => void }

function Side({ side, id, run, isMissing, onDrop }: SideProps): ReactNode {
  return (
    <section className="compare-side" aria-label={`Run ${side}`}>
      <span className={`side-${side.toLowerCase()}`}>{side}</span>
      {id === null && <span className="quiet">not selected</span>}
      {id !== null && isMissing && <Empty title={`Run ${id} not found`} />}
      {run !== undefined && (
        <Link className="link-row cut" href={links.run(run.id)}>
          <RouteName route={calledBy(run)} /> <span className="quiet small">{run.id}</span>
        </Link>
      )}
      {id !== null && (
        <button type="button" className="button quiet small" onClick={onDrop}>
          Change
        </button>
      )}
    </section>
  )
}

interface RunPickerProps {
  readonly side: string
  /** The route whose runs are offered. If omitted, all runs are offered. */
  readonly route?: string | undefined
  /** The run on the other side, which is not offered. */
  readonly other: string | null
  readonly onPick: (id: string) => void
}

function RunPicker({ side, route, other, onPick }: RunPickerProps): ReactNode {
  const [search, setSearch] = useState('')
  const [isSame, setSame] = useState(true)
  const only = route !== undefined && isSame ? { route } : {}
  const list = useRuns({ ...only, ...(search === '' ? {} : { search }), limit: 30 })
  const runs = list?.runs.filter(({ id }) => id !== other) ?? []
  return (
    <section className="picker" aria-label={`Select run ${side}`}>
      <h2>Select run {side}</h2>
      <div className="toolbar">
        <SearchInput
          label={`Search runs for ${side}`}
          placeholder="Search by path or error"
          value={search}
          onChange={setSearch}
        />
        {route !== undefined && (
          <label className="check">
            <input type="checkbox" checked={isSame} onChange={(event) => setSame(event.target.checked)} />
            Same route only
          </label>
        )}
      </div>
      {list !== undefined && runs.length === 0 && (
        <Empty title={other === null ? 'No runs found' : 'No other runs found'} />
      )}
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

type ComparisonTab = 'Output' | 'Request' | 'Stream' | 'Trace'

function Comparison({ a, b }: { a: Run; b: Run }): ReactNode {
  const [view, setView] = useState<ComparisonTab>('Output')
  return (
    <>
      <Deltas a={a} b={b} />
      {(isTruncatedRun(a) || isTruncatedRun(b)) && (
        <p className="notice">Only the first part of a large response is stored, so only that part is compared.</p>
      )}
      <Tabs<ComparisonTab>
        label="Comparison"
        selected={view}
        onSelect={setView}
        tabs={[
          { name: 'Output', view: <Outputs a={a} b={b} /> },
          { name: 'Request', view: <Requests a={a} b={b} /> },
          { name: 'Stream', view: <StreamOverlay a={a} b={b} /> },
          { name: 'Trace', view: <TraceOverlay a={a} b={b} /> },
        ]}
      />
    </>
  )
}

function Deltas({ a, b }: { a: Run; b: Run }): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0}>
      <table className="table deltas">
        <TableHead columns={['', ['A', 'num'], ['B', 'num'], ['Difference', 'num']]} />
        <tbody>
          {toDeltas(a, b).map(({ name, a: left, b: right, delta, tone }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="num">{left}</td>
              <td className="num">{right}</td>
              <td className="num" data-tone={tone}>
                {delta}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Outputs({ a, b }: { a: Run; b: Run }): ReactNode {
  const [first, second] = useMemo(() => outputsOf(a, b), [a, b])
  return <DiffView a={first} b={second} label="Outputs" />
}

function Requests({ a, b }: { a: Run; b: Run }): ReactNode {
  const [first, second] = [useMemo(() => requestOf(a), [a]), useMemo(() => requestOf(b), [b])]
  return <DiffView a={first} b={second} label="Requests" />
}
