import { useMemo, useState, useSyncExternalStore, type ReactNode } from 'react'
import type { ConsoleClient } from './console-client.ts'
import { FrameList } from './frame-row.tsx'
import type { ConsoleFrame } from './frame-log.ts'
import { SearchInput } from '../components/search-input.tsx'

/** Shows either the messages that the app sees or the frames on the wire. */
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
          title="Show every protocol frame"
          onClick={change}
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
        <button type="button" className="button small" onClick={clear}>
          Clear
        </button>
        <span className="quiet frame-count">
          {shown.length}
          {dropped > 0 && ` of ${frames.length + dropped}`}
        </span>
      </div>
      <FrameList
        key={isWire ? 'wire' : 'messages'}
        label="Frames"
        frames={shown}
        empty={filter === '' ? 'No frames yet: send a message below' : 'No matching frames'}
        isFollowing
      />
    </div>
  )

  function change(): void {
    setFrozen(null)
    setWire(!isWire)
  }

  function clear(): void {
    log.clear()
    setFrozen(null)
  }
}

function filterFrames(frames: readonly ConsoleFrame[], text: string): readonly ConsoleFrame[] {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? frames : frames.filter((frame) => frame.text.toLowerCase().includes(wanted))
}
