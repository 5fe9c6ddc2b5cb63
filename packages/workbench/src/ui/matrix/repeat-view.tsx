import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { toDuration } from '../components/format.ts'
import { Pill } from '../components/pill.tsx'
import { outcomePreview, runHref, RunLink } from './cell-grid.tsx'
import type { Cell } from './matrix-run.ts'
import { countBy, toDurationStats, groupEqual, toHistogram } from './statistics.ts'
import type { LiveMatrix } from './use-matrix.ts'

/** The results of repeated calls: their durations, their statuses, and whether their responses are identical. */
export function RepeatView({ matrix }: { matrix: LiveMatrix }): ReactNode {
  const over = matrix.cells.filter(({ progress, state }) => progress === 'over' && state !== 'cancelled')
  const times = over.flatMap(({ ms }) => ms ?? [])
  return (
    <div className="repeat-view">
      <Tiles times={times} over={over} />
      <Histogram times={times} />
      <section aria-label="Calls">
        <h2>Calls</h2>
        <ol className="repeat-cells">
          {matrix.cells.map((cell) => (
            <li key={cell.index}>
              <RepeatCell cell={cell} matrix={matrix} />
            </li>
          ))}
        </ol>
      </section>
      {over.length > 0 && <AnswerGroups over={over} matrix={matrix} />}
    </div>
  )
}

function Tiles({ times, over }: { times: readonly number[]; over: readonly Cell[] }): ReactNode {
  const figures = toDurationStats(times)
  return (
    <dl className="tiles">
      {(['p50', 'p95', 'min', 'max'] as const).map((name) => (
        <div key={name}>
          <dt className="hint">{name}</dt>
          <dd>{figures === null ? '–' : toDuration(figures[name])}</dd>
        </div>
      ))}
      {countBy(over.map(({ status = 0 }) => status)).map(([status, count]) => (
        <div key={status}>
          <dt className="hint">{status === 0 ? 'no response' : status}</dt>
          <dd>{count}</dd>
        </div>
      ))}
    </dl>
  )
}

const HISTOGRAM_COLUMNS = 24
const HISTOGRAM_HEIGHT = 64

function Histogram({ times }: { times: readonly number[] }): ReactNode {
  const columns = toHistogram(times, HISTOGRAM_COLUMNS)
  const most = columns.reduce((max, { count }) => Math.max(max, count), 1)
  if (times.length < 2) return null
  return (
    <figure className="histogram">
      <svg
        viewBox={`0 0 ${HISTOGRAM_COLUMNS * 10} ${HISTOGRAM_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Call durations"
      >
        {columns.map(({ from, to, count }, index) => (
          <rect
            key={from}
            x={index * 10 + 0.5}
            width={9}
            y={HISTOGRAM_HEIGHT - (count / most) * HISTOGRAM_HEIGHT}
            height={(count / most) * HISTOGRAM_HEIGHT}
          >
            <title>{`Calls that took ${toDuration(from)} to ${toDuration(to)}: ${count}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption className="num">
        <span>{toDuration(columns[0]?.from ?? 0)}</span>
        <span>{toDuration(columns.at(-1)?.to ?? 0)}</span>
      </figcaption>
    </figure>
  )
}

function RepeatCell({ cell, matrix }: { cell: Cell; matrix: LiveMatrix }): ReactNode {
  const { index, requestId, progress, state, status = 0, ms } = cell
  const name = progress === 'over' ? `${state === 'cancelled' ? 'cancelled' : status}` : progress
  const text = `Call ${index + 1}: ${name}${ms === undefined ? '' : `, ${toDuration(ms)}`}`
  const look = progress === 'over' ? (state === 'cancelled' ? 'cancelled' : String(status).charAt(0)) : progress
  if (requestId === null) return <span data-look={look} role="img" aria-label={text} />
  return <Link href={runHref(matrix, requestId)} data-look={look} aria-label={text} title={text} />
}

function AnswerGroups({ over, matrix }: { over: readonly Cell[]; matrix: LiveMatrix }): ReactNode {
  const groups = groupEqual(over.map(({ output, error, status }) => error?.code ?? { status, output }))
  return (
    <section aria-label="Responses">
      <h2>{groups.length === 1 ? 'All responses are identical' : `${groups.length} different responses`}</h2>
      <ul className="rows">
        {groups.slice(0, 50).map((indexes) => {
          const cell = over[indexes[0] ?? 0]
          if (cell === undefined) return null
          return (
            <li key={cell.index} className="answer-row">
              <Pill tone="quiet">{indexes.length} ×</Pill>
              <span className="mono cut">{outcomePreview(cell)}</span>
              {cell.requestId !== null && <RunLink matrix={matrix} requestId={cell.requestId} />}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
