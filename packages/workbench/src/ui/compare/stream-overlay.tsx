import type { ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { Empty } from '../components/empty.tsx'
import { toDuration, toSize } from '../components/format.ts'
import { fromRun, recordingSize, type StreamRecording } from '../run/stream/recording.ts'
import { endOf, toTickPath, toTicks, toX } from '../run/stream/ticks.ts'
import { useWidth } from '../components/use-width.ts'

const STRIP_HEIGHT = 44

/** Two streams on one time axis, with A above it and B below. */
export function StreamOverlay({ a, b }: { a: Run; b: Run }): ReactNode {
  const [ref, width] = useWidth<HTMLDivElement>(800)
  const [first, second] = [fromRun(a), fromRun(b)]
  const end = Math.max(endOf(first), endOf(second))
  if (first.chunks.length + second.chunks.length === 0) return <Empty title="Neither run has any output" />
  return (
    <figure className="overlay">
      <p className="small">
        <span className="side-a">A</span> {describeStream(first)}
      </p>
      <div ref={ref}>
        <svg
          width={width}
          height={STRIP_HEIGHT * 2 + 1}
          role="img"
          aria-label={`Chunk times: A ${describeStream(first)}; B ${describeStream(second)}`}
        >
          <OverlayStrip recording={first} end={end} width={width} side="a" />
          <g transform={`translate(0 ${STRIP_HEIGHT * 2 + 1}) scale(1 -1)`}>
            <OverlayStrip recording={second} end={end} width={width} side="b" />
          </g>
          <line className="overlay-axis" x1={0} x2={width} y1={STRIP_HEIGHT + 0.5} y2={STRIP_HEIGHT + 0.5} />
        </svg>
        <div className="overlay-scale num" aria-hidden>
          <span>0</span>
          <span>{toDuration(end / 2)}</span>
          <span>{toDuration(end)}</span>
        </div>
      </div>
      <p className="small">
        <span className="side-b">B</span> {describeStream(second)}
      </p>
    </figure>
  )
}

type StripProps = { recording: StreamRecording; end: number; width: number; side: 'a' | 'b' }

function OverlayStrip({ recording, end, width, side }: StripProps): ReactNode {
  const { headAt, total, chunks } = recording
  return (
    <g className={`strip-${side}`}>
      {total !== null && <rect className="strip-span" width={toX(total, end, width)} height={STRIP_HEIGHT} />}
      {headAt !== null && <path className="strip-head" d={`M${toX(headAt, end, width) + 0.5} 0V${STRIP_HEIGHT}`} />}
      <path d={toTickPath(toTicks(chunks, end, width), STRIP_HEIGHT)} />
    </g>
  )
}

function describeStream(recording: StreamRecording): string {
  const { chunks, headAt } = recording
  const first = chunks[0]
  return [
    `${chunks.length} ${chunks.length === 1 ? 'chunk' : 'chunks'}`,
    toSize(recordingSize(recording)),
    headAt === null ? '' : `headers after ${toDuration(headAt)}`,
    first === undefined ? '' : `first chunk after ${toDuration(first.at)}`,
  ]
    .filter((part) => part !== '')
    .join(', ')
}
