import { useMemo, useState, type ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { Tabs } from '../components/tabs.tsx'
import { isTruncatedRun, outputsOf, requestOf, toDeltas } from './comparison.ts'
import { DiffView } from './diff-view.tsx'
import { StreamOverlay } from './stream-overlay.tsx'
import { TraceOverlay } from './trace-overlay.tsx'
import { TableHead } from '../components/table-head.tsx'

type ComparisonTab = 'Output' | 'Request' | 'Stream' | 'Trace'

/** How two runs differ: in figures, and in what they were asked and answered. */
export function Comparison({ a, b }: { a: Run; b: Run }): ReactNode {
  const [view, setView] = useState<ComparisonTab>('Output')
  return (
    <>
      <Deltas a={a} b={b} />
      {(isTruncatedRun(a) || isTruncatedRun(b)) && (
        <p className="notice">Only the first part of a large answer is kept, so only that part is compared.</p>
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
