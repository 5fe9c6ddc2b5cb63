import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { Empty } from '../parts/empty.tsx'
import { toDuration, toSize } from '../parts/figures.ts'
import { fromRun, sizeOf, type Recording } from '../run/recording.ts'
import { endOf, toPath, toTicks, toX } from '../run/ticks.ts'
import { useWidth } from '../run/use-width.ts'

const HEIGHT = 44

/** Two streams on one time axis: that of A above it, that of B below. */
export function StreamOverlay({ a, b }: { a: Run; b: Run }): ReactNode {
  const [ref, width] = useWidth<HTMLDivElement>(800)
  const [first, second] = [fromRun(a), fromRun(b)]
  const end = Math.max(endOf(first), endOf(second))
  if (first.chunks.length + second.chunks.length === 0) return <Empty title="Neither run has any output" />
  return (
    <figure className="overlay">
      <p className="small">
        <span className="side-a">A</span> {factsOf(first)}
      </p>
      <div ref={ref}>
        <svg
          width={width}
          height={HEIGHT * 2 + 1}
          role="img"
          aria-label={`When chunks came: A ${factsOf(first)}; B ${factsOf(second)}`}
        >
          <Strip recording={first} end={end} width={width} side="a" />
          <g transform={`translate(0 ${HEIGHT * 2 + 1}) scale(1 -1)`}>
            <Strip recording={second} end={end} width={width} side="b" />
          </g>
          <line className="overlay-axis" x1={0} x2={width} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
        </svg>
        <div className="overlay-scale num" aria-hidden>
          <span>0</span>
          <span>{toDuration(end / 2)}</span>
          <span>{toDuration(end)}</span>
        </div>
      </div>
      <p className="small">
        <span className="side-b">B</span> {factsOf(second)}
      </p>
    </figure>
  )
}

interface StripProps {
  readonly recording: Recording
  readonly end: number
  readonly width: number
  readonly side: 'a' | 'b'
}

function Strip({ recording, end, width, side }: StripProps): ReactNode {
  const { headAt, total, chunks } = recording
  return (
    <g className={`strip-${side}`}>
      {total !== null && <rect className="strip-span" width={toX(total, end, width)} height={HEIGHT} />}
      {headAt !== null && <path className="strip-head" d={`M${toX(headAt, end, width) + 0.5} 0V${HEIGHT}`} />}
      <path d={toPath(toTicks(chunks, end, width), HEIGHT)} />
    </g>
  )
}

function factsOf(recording: Recording): string {
  const { chunks, headAt } = recording
  const first = chunks[0]
  return [
    `${chunks.length} ${chunks.length === 1 ? 'piece' : 'pieces'}`,
    toSize(sizeOf(recording)),
    headAt === null ? '' : `head after ${toDuration(headAt)}`,
    first === undefined ? '' : `first after ${toDuration(first.at)}`,
  ]
    .filter((part) => part !== '')
    .join(', ')
}
