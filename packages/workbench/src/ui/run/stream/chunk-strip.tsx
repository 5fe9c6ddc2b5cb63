import { useMemo, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { toChunks, toDuration, toSize } from '../../components/format.ts'
import type { StreamRecording } from './recording.ts'
import { nearestTo, toTickPath, toTicks, toX } from './ticks.ts'
import { useWidth } from '../../components/use-width.ts'

const CHUNK_STRIP_HEIGHT = 56

interface ChunkStripProps {
  readonly recording: StreamRecording
  readonly end: number
  /** The index of the selected chunk, or -1 if there is none. */
  readonly selected: number
  readonly onSelect: (index: number) => void
  /** The current time of the replay, or null if there is no replay. */
  readonly time: number | null
}

/** A time axis with marks for the head and the first byte. Each chunk is a tick whose height shows its size. */
export function ChunkStrip({ recording, end, selected, onSelect, time }: ChunkStripProps): ReactNode {
  const [ref, width] = useWidth<SVGSVGElement>(800)
  const { chunks, headAt } = recording
  const path = useMemo(() => toTickPath(toTicks(chunks, end, width), CHUNK_STRIP_HEIGHT), [chunks, end, width])
  const chosen = chunks[selected]

  function onPointer({ clientX, currentTarget, buttons }: PointerEvent): void {
    if (buttons !== 1) return
    const { left, width: all } = currentTarget.getBoundingClientRect()
    const index = nearestTo(chunks, ((clientX - left) / all) * end)
    if (index >= 0) onSelect(index)
  }

  return (
    <figure className="strip">
      <div
        className="strip-axis"
        role="slider"
        tabIndex={0}
        aria-label="Chunks over time"
        aria-valuemin={0}
        aria-valuemax={chunks.length}
        aria-valuenow={selected + 1}
        aria-valuetext={
          chosen === undefined
            ? `${toChunks(chunks.length)}, none selected`
            : `chunk ${selected + 1} of ${chunks.length}, after ${toDuration(chosen.at)}, ${toSize(chosen.bytes)}`
        }
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onKeyDown={(event) => onListKeys(event, { selected, count: chunks.length, onSelect })}
      >
        <svg ref={ref} width="100%" height={CHUNK_STRIP_HEIGHT} aria-hidden="true">
          {headAt !== null && <Mark className="strip-head" x={toX(headAt, end, width)} />}
          {chunks[0] !== undefined && <Mark className="strip-first" x={toX(chunks[0].at, end, width)} />}
          <path className="strip-ticks" d={path} />
          {chosen !== undefined && <Mark className="strip-selected" x={toX(chosen.at, end, width)} />}
          {time !== null && <Mark className="strip-time" x={toX(time, end, width)} />}
        </svg>
      </div>
      <figcaption>
        <span>0</span>
        <span>{toDuration(end / 2)}</span>
        <span>{toDuration(end)}</span>
      </figcaption>
    </figure>
  )
}

function Mark({ className, x }: { className: string; x: number }): ReactNode {
  return <line className={className} x1={x + 0.5} x2={x + 0.5} y1={0} y2={CHUNK_STRIP_HEIGHT} />
}

export type ListSelection = { selected: number; count: number; onSelect: (index: number) => void }

/** Selects chunks with the arrow keys, Home, End, Page Up and Page Down. */
export function onListKeys(event: KeyboardEvent, { selected, count, onSelect }: ListSelection): void {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowDown: 1,
    ArrowLeft: -1,
    ArrowUp: -1,
    PageDown: 10,
    PageUp: -10,
    Home: -Infinity,
    End: Infinity,
  }
  const step = steps[event.key]
  if (step === undefined || count === 0) return
  event.preventDefault()
  onSelect(Math.min(count - 1, Math.max(0, selected + step)))
}
