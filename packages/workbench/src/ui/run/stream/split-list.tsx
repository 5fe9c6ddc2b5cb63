import { useDeferredValue, useMemo, useState, type ReactNode } from 'react'
import { toDuration } from '../../components/format.ts'
import { VirtualList } from '../../components/virtual-list.tsx'
import type { StreamRecording } from './recording.ts'
import { detectFraming, parseDelimiter, resplit } from './resplit.ts'
import { countAt } from './ticks.ts'

const FRAMING_NAMES = { ndjson: 'one JSON value per line', sse: 'server-sent events', text: 'lines of text' } as const

interface SplitListProps {
  readonly recording: StreamRecording
  /** The time up to which values are shown, in ms since the call started, or null to show all values. */
  readonly until: number | null
  readonly isFollowing: boolean
}

/** The values that are passed to `onChunk`, split according to the content type or by a delimiter. */
export function SplitList({ recording, until, isFollowing }: SplitListProps): ReactNode {
  const [typed, setTyped] = useState('')
  const delimiter = parseDelimiter(useDeferredValue(typed))
  const settled = useDeferredValue(recording)
  const framing = detectFraming(settled, delimiter)
  const split = useMemo(
    () => (framing === null ? null : resplit(settled, framing, delimiter)),
    [settled, framing, delimiter],
  )
  const chunks = split?.chunks ?? []
  const count = until === null ? chunks.length : countAt(chunks, until)
  return (
    <section className="split-list" aria-label="Chunks passed to onChunk">
      <div className="toolbar">
        <label className="field-line">
          <span className="hint">delimiter</span>
          <input
            type="text"
            value={typed}
            spellCheck={false}
            placeholder={framing === null ? String.raw`such as \n` : FRAMING_NAMES[framing]}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        {split !== null && <span className="quiet">{count} × onChunk</span>}
      </div>
      {split === null ? (
        <p className="quiet">A response with this content type is a single value, so onChunk is not called.</p>
      ) : (
        <div className="values">
          <VirtualList
            count={count}
            rowHeight={26}
            label="Values passed to onChunk"
            isFollowing={isFollowing}
            render={(index) => (
              <div className="chunk-row">
                <span className="num">#{index + 1}</span>
                <span className="num">+{toDuration(chunks[index]?.at ?? 0)}</span>
                <span className="preview">{(JSON.stringify(chunks[index]?.value) ?? '').slice(0, 300)}</span>
              </div>
            )}
          />
        </div>
      )}
      {split !== null && split.error !== null && count === chunks.length && (
        <p className="fault">then rejects: {split.error}</p>
      )}
    </section>
  )
}
