import { useState, type ReactNode } from 'react'
import type { Run } from '../../../run.ts'
import { Empty } from '../../components/empty.tsx'
import { toDuration } from '../../components/format.ts'
import { shortName } from '../../components/route-name.tsx'
import { VirtualList } from '../../components/virtual-list.tsx'
import { onListKeys } from '../stream/chunk-strip.tsx'
import { fromRun, type Chunk } from '../stream/recording.ts'
import { SpanInspector } from './span-inspector.tsx'
import { toTickPath, toTicks } from '../stream/ticks.ts'
import { toPercent, toTraceRows, traceEnd, type TraceRow } from './trace.ts'

const SPAN_ROW_HEIGHT = 30
const MAX_HEIGHT = 10 * SPAN_ROW_HEIGHT

/** The spans of a run on a time axis; logs are dots, chunks are ticks. */
export function TraceView({ run }: { run: Run | undefined }): ReactNode {
  const [selected, setSelected] = useState(0)
  if (run === undefined) return <Empty title="Not recorded yet" />
  const rows = toTraceRows(run)
  const end = traceEnd(run)
  const row = rows[selected] ?? rows[0]
  return (
    <div className="trace">
      <div
        className="trace-rows"
        style={{ height: Math.min(MAX_HEIGHT, rows.length * SPAN_ROW_HEIGHT) }}
        onKeyDown={(event) => onListKeys(event, { selected, count: rows.length, onSelect: setSelected })}
      >
        <VirtualList
          count={rows.length}
          rowHeight={SPAN_ROW_HEIGHT}
          label="Spans"
          selected={selected}
          render={(index) => (
            <SpanRow
              row={rows[index]}
              end={end}
              chunks={index === 0 ? fromRun(run).chunks : []}
              isSelected={index === selected}
              onSelect={() => setSelected(index)}
            />
          )}
        />
      </div>
      {rows.length === 1 && (
        <p className="quiet">
          No agent was called inside: <code>await ctx.call(other, input)</code> shows here as a line of its own.
        </p>
      )}
      {row !== undefined && <SpanInspector key={row.id} run={run} row={row} />}
    </div>
  )
}

interface SpanRowProps {
  readonly row: TraceRow | undefined
  readonly end: number
  readonly chunks: readonly Chunk[]
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function SpanRow({ row, end, chunks, isSelected, onSelect }: SpanRowProps): ReactNode {
  if (row === undefined) return null
  const { depth, name, startedAt, endedAt, isOver, hasFailed, logs } = row
  const took = endedAt - startedAt
  return (
    <button type="button" className="trace-row" tabIndex={-1} aria-pressed={isSelected} onClick={onSelect}>
      <span className="trace-name cut" style={{ paddingInlineStart: depth * 14 }}>
        {shortName(name)}
      </span>
      <span className="trace-track" aria-hidden="true">
        <span
          className="trace-bar"
          data-failed={hasFailed}
          data-open={!isOver}
          style={{ left: toPercent(startedAt, end), width: toPercent(took, end) }}
        />
        {chunks.length > 1 && (
          <svg viewBox="0 0 500 10" preserveAspectRatio="none">
            <path d={toTickPath(toTicks(chunks, end, 500), 10)} />
          </svg>
        )}
        {logs.map(({ at, level }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no name and do not move
          <i key={index} className="trace-log" data-level={level} style={{ left: toPercent(at, end) }} />
        ))}
      </span>
      <span className="num">{isOver ? toDuration(took) : 'not over'}</span>
    </button>
  )
}
