import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { Run } from '../../../run.ts'
import { Empty } from '../../components/empty.tsx'
import { toChunks, toDuration } from '../../components/format.ts'
import { RouteName, shortName } from '../../components/route-name.tsx'
import { VirtualList } from '../../components/virtual-list.tsx'
import { links } from '../../links.ts'
import { ErrorStack } from '../error/error-stack.tsx'
import { onListKeys } from '../stream/chunk-strip.tsx'
import { fromRun, type Chunk } from '../stream/recording.ts'
import { toTickPath, toTicks } from '../stream/ticks.ts'
import { LogLines } from './logs-view.tsx'
import { ModelStepInspector, toTokenText } from './model-step-inspector.tsx'
import { SpanBody } from './span-body.tsx'
import { sumTokens, toPercent, toTraceRows, traceEnd, type TraceRow } from './trace.ts'

const SPAN_ROW_HEIGHT = 30
const MAX_HEIGHT = 10 * SPAN_ROW_HEIGHT

/** The spans of a run on a time axis. Log lines are shown as dots, and chunks as ticks. */
export function TraceView({ run }: { run: Run | undefined }): ReactNode {
  const [selected, setSelected] = useState(0)
  if (run === undefined) return <Empty title="Not recorded yet" />
  const rows = toTraceRows(run)
  const end = traceEnd(run)
  const row = rows[selected] ?? rows[0]
  const tokens = sumTokens(run)
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
          This run did not call any other agents or models. Each <code>ctx.call(other, input)</code> and each step of a
          model appears here on its own line.
        </p>
      )}
      {tokens !== null && (
        <p className="quiet num">
          {run.models.length} model {run.models.length === 1 ? 'call' : 'calls'} · {toTokenText(tokens)}
        </p>
      )}
      {row !== undefined &&
        (row.step === null ? (
          <SpanInspector key={row.id} run={run} row={row} />
        ) : (
          <ModelStepInspector key={row.id} step={row.step} />
        ))}
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
  const { depth, name, startedAt, endedAt, isOver, hasFailed, logs, step } = row
  const took = endedAt - startedAt
  return (
    <button type="button" className="trace-row" tabIndex={-1} aria-pressed={isSelected} onClick={onSelect}>
      <span className="trace-name cut" style={{ paddingInlineStart: depth * 14 }}>
        {step === null ? shortName(name) : name}
      </span>
      <span className="trace-track" aria-hidden="true">
        <span
          className="trace-bar"
          data-failed={hasFailed}
          data-open={!isOver}
          data-model={step !== null}
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
      <span className="num">{isOver ? toDuration(took) : 'running'}</span>
    </button>
  )
}

function SpanInspector({ run, row }: { run: Run; row: TraceRow }): ReactNode {
  const { span, name, startedAt, endedAt, isOver, logs } = row
  const isAgent = name.startsWith('POST /agent/')
  const error = span === null ? run.thrown : span.error
  return (
    <section className="span-inspector" aria-label="Selected span">
      <header>
        <h2>
          <RouteName route={name} />
        </h2>
        {isAgent && (
          <Link className="button small" href={replayLink(run, row)}>
            Run {shortName(name)} with this input
          </Link>
        )}
      </header>
      <p className="quiet num">
        +{toDuration(startedAt)} · {isOver ? toDuration(endedAt - startedAt) : 'still running when the run ended'}
        {span !== null && span.chunks > 0 && ` · ${toChunks(span.chunks)}`}
      </p>
      {error !== null && (
        <div className="span-error">
          <p className="fault">
            {error.name}: {error.message}
          </p>
          <ErrorStack error={error} />
        </div>
      )}
      <SpanBody title="Input" text={span === null ? run.request.body : span.input} />
      {span !== null && <SpanBody title="Output" text={span.output} />}
      {logs.length > 0 && (
        <>
          <h3>Logs</h3>
          <LogLines logs={logs} />
        </>
      )}
    </section>
  )
}

function replayLink(run: Run, { id, name }: TraceRow): string {
  return `${links.agent(shortName(name), run.id)}${id === 0 ? '' : `&span=${id}`}`
}
