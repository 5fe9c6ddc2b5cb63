import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { toSize } from '../components/format.ts'
import type { ConsoleFrame } from './frame-log.ts'
import X from 'lucide-react/icons/x'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { VirtualList } from '../components/virtual-list.tsx'

const FRAME_SIGNS = { client: '↑', server: '↓', note: '·' } as const
const FRAME_LABELS = { client: 'sent', server: 'received', note: 'note' } as const

/** The maximum number of characters shown in a row. */
const MAX_FRAME_PREVIEW = 300

interface FrameListProps {
  readonly frames: readonly ConsoleFrame[]
  readonly label: string
  /** The title shown if the list is empty. */
  readonly empty: string
  /** Whether to stay scrolled to the end as frames arrive, unless a frame is selected. @default false */
  readonly isFollowing?: boolean
}

/** A list of frames, one per row. The selected frame is shown in full. */
export function FrameList({ frames, label, empty, isFollowing = false }: FrameListProps): ReactNode {
  const [selectedId, setSelectedId] = useState<number | null>(null)
  const index = frames.findIndex(({ id }) => id === selectedId)
  const selected = frames[index]
  if (frames.length === 0) return <Empty title={empty} />
  return (
    <>
      <VirtualList
        count={frames.length}
        rowHeight={26}
        label={label}
        selected={selected === undefined ? null : index}
        isFollowing={isFollowing && selected === undefined}
        render={(row) => {
          const frame = frames[row]
          if (frame === undefined) return null
          const isSelected = frame.id === selectedId
          return (
            <FrameRow
              frame={frame}
              isSelected={isSelected}
              onSelect={() => setSelectedId(isSelected ? null : frame.id)}
              onStep={(step) => setSelectedId(frames[row + step]?.id ?? frame.id)}
            />
          )
        }}
      />
      {selected !== undefined && <FrameInspector frame={selected} onClose={() => setSelectedId(null)} />}
    </>
  )
}

interface FrameRowProps {
  readonly frame: ConsoleFrame
  readonly isSelected: boolean
  readonly onSelect: () => void
  readonly onStep: (step: 1 | -1) => void
}

function FrameRow({ frame, isSelected, onSelect, onStep }: FrameRowProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Moves the focus after an arrow key. After a click, the button already has the focus.
    if (isSelected) button.current?.focus({ preventScroll: true })
  }, [isSelected])

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    onStep(event.key === 'ArrowDown' ? 1 : -1)
  }

  return (
    <button
      ref={button}
      type="button"
      className="frame-row"
      data-from={frame.from}
      data-tone={frame.tone}
      aria-pressed={isSelected}
      onClick={onSelect}
      onKeyDown={onKeyDown}
    >
      <span className="frame-sign" role="img" aria-label={FRAME_LABELS[frame.from]}>
        {FRAME_SIGNS[frame.from]}
      </span>
      <span className="frame-text cut">{frame.text.slice(0, MAX_FRAME_PREVIEW)}</span>
      {frame.from !== 'note' && <span className="frame-size">{toSize(frame.bytes)}</span>}
      <time className="frame-time">{toClockTime(frame.at)}</time>
    </button>
  )
}

function toClockTime(at: number): string {
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  const ms = String(date.getMilliseconds()).padStart(3, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`
}

const FRAME_TITLES = { client: 'Sent', server: 'Received', note: 'Note' } as const

function FrameInspector({ frame, onClose }: { frame: ConsoleFrame; onClose: () => void }): ReactNode {
  const { from, at, bytes, text } = frame
  return (
    <aside className="frame-inspector" aria-label="Selected frame">
      <CodeBlock title={`${FRAME_TITLES[from]} at ${toClockTime(at)}, ${toSize(bytes)}`} code={toPretty(text)} />
      <button type="button" className="button icon small" aria-label="Close frame details" onClick={onClose}>
        <X size={14} aria-hidden="true" />
      </button>
    </aside>
  )
}

function toPretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text // not JSON
  }
}
