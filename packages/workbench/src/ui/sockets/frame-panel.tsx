import { useMemo, useState, useSyncExternalStore, type ReactNode } from 'react'
import { Empty } from '../components/empty.tsx'
import { VirtualList } from '../components/virtual-list.tsx'
import type { ConsoleClient } from './console-client.ts'
import { FrameInspector, FrameRow } from './frame-row.tsx'
import type { ConsoleFrame, FrameLog } from './frame-log.ts'
import { SearchInput } from '../components/search-input.tsx'

/** The messages of the app, or the frames on the wire. */
export function FramePanel({ client }: { client: ConsoleClient }): ReactNode {
  const [isWire, setWire] = useState(false)
  const log = isWire ? client.frames : client.messages
  const [filter, setFilter] = useState('')
  const [frozen, setFrozen] = useState<readonly ConsoleFrame[] | null>(null)
  const { frames, dropped } = useSyncExternalStore(log.subscribe, log.get)
  const shown = useMemo(() => filterFrames(frozen ?? frames, filter), [frozen, frames, filter])
  return (
    <div className="frame-panel">
      <div className="frame-tools">
        <button
          type="button"
          className="button small"
          aria-pressed={isWire}
          title="Every frame of the protocol"
          onClick={() => change(!isWire)}
        >
          Wire view
        </button>
        <SearchInput label="Filter frames" value={filter} onChange={setFilter} />
        <button
          type="button"
          className="button small"
          aria-pressed={frozen !== null}
          onClick={() => setFrozen(frozen === null ? frames : null)}
        >
          Freeze
        </button>
        <button type="button" className="button small" onClick={() => clear(log)}>
          Clear
        </button>
        <span className="quiet frame-count">
          {shown.length}
          {dropped > 0 && ` of ${frames.length + dropped}`}
        </span>
      </div>
      <FrameRows key={isWire ? 'wire' : 'messages'} frames={shown} isFiltered={filter !== ''} />
    </div>
  )

  function change(next: boolean): void {
    setFrozen(null)
    setWire(next)
  }

  function clear(which: FrameLog): void {
    which.clear()
    setFrozen(null)
  }
}

function FrameRows({ frames, isFiltered }: { frames: readonly ConsoleFrame[]; isFiltered: boolean }): ReactNode {
  const [selectedId, setSelectedId] = useState<number | null>(null)
  const index = frames.findIndex(({ id }) => id === selectedId)
  const selected = frames[index]
  if (frames.length === 0)
    return <Empty title={isFiltered ? 'No frame has this text' : 'Nothing yet: send a message below'} />
  return (
    <>
      <VirtualList
        count={frames.length}
        rowHeight={26}
        label="Frames"
        selected={selected === undefined ? null : index}
        isFollowing={selected === undefined}
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

/** The frames that have this text, whatever its case. */
function filterFrames(frames: readonly ConsoleFrame[], text: string): readonly ConsoleFrame[] {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? frames : frames.filter((frame) => frame.text.toLowerCase().includes(wanted))
}
