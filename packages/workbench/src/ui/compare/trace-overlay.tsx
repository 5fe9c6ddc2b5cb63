import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { toDuration } from '../components/format.ts'
import { shortName } from '../components/route-name.tsx'
import { toPercent, toTraceRows, traceEnd, type TraceRow } from '../run/trace/trace.ts'
import { align } from './align.ts'
import { TableHead } from '../components/table-head.tsx'

const MAX_TRACE_ROWS = 400

/** Two traces on one time axis. Matching spans share a line. */
export function TraceOverlay({ a, b }: { a: Run; b: Run }): ReactNode {
  const pairs = pairSpans(a, b)
  const end = Math.max(traceEnd(a), traceEnd(b))
  return (
    <div className="table-scroll" tabIndex={0}>
      <table className="table traces">
        <TableHead columns={['Agent', [`0 to ${toDuration(end)}`, 'track-head'], ['A', 'num'], ['B', 'num']]} />
        <tbody>
          {pairs.slice(0, MAX_TRACE_ROWS).map(({ name, depth, a: first, b: second }) => (
            <tr key={`${first?.id ?? ''}/${second?.id ?? ''}`}>
              <td className="path" style={{ paddingInlineStart: 10 + depth * 14 }}>
                {shortName(name)}
              </td>
              <td>
                <Bar row={first} end={end} side="a" />
                <Bar row={second} end={end} side="b" />
              </td>
              <td className="num">{timeOf(first)}</td>
              <td className="num">{timeOf(second)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type SpanPair = { name: string; depth: number; a: TraceRow | undefined; b: TraceRow | undefined }

/** Pairs spans with the same name at the same depth, in order. */
export function pairSpans(a: Run, b: Run): SpanPair[] {
  const [rowsA, rowsB] = [toTraceRows(a), toTraceRows(b)]
  const keys = (rows: readonly TraceRow[]): string[] => rows.map(({ depth, name }) => `${depth} ${name}`)
  return align(keys(rowsA), keys(rowsB)).flatMap(([i, j]) => {
    const [first, second] = [i === null ? undefined : rowsA[i], j === null ? undefined : rowsB[j]]
    const { name = '', depth = 0 } = first ?? second ?? {}
    const isPair =
      first === undefined || second === undefined || (first.name === second.name && first.depth === second.depth)
    if (isPair) return [{ name, depth, a: first, b: second }]
    return [
      { name, depth, a: first, b: undefined },
      { name: second.name, depth: second.depth, a: undefined, b: second },
    ]
  })
}

function Bar({ row, end, side }: { row: TraceRow | undefined; end: number; side: 'a' | 'b' }): ReactNode {
  return (
    <div className={`span-track side-${side}`} aria-hidden>
      {row !== undefined && (
        <i style={{ left: toPercent(row.startedAt, end), width: toPercent(row.endedAt - row.startedAt, end) }} />
      )}
    </div>
  )
}

function timeOf(row: TraceRow | undefined): string {
  return row === undefined ? '–' : toDuration(row.endedAt - row.startedAt)
}
