import { useDeferredValue, useMemo, useState, type ReactNode } from 'react'
import { toDuration } from '../parts/figures.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import type { Recording } from './recording.ts'
import { framingBy, parseDelimiter, resplit } from './resplit.ts'

const NAMES = { ndjson: 'a JSON value a line', sse: 'server-sent events', text: 'lines of text' } as const

/** What `onChunk` gets of a stream, by its content type or by a delimiter that is typed here. */
export function SplitList({ recording }: { recording: Recording }): ReactNode {
  const [typed, setTyped] = useState('')
  const delimiter = parseDelimiter(useDeferredValue(typed))
  const settled = useDeferredValue(recording)
  const framing = framingBy(settled, delimiter)
  const split = useMemo(
    () => (framing === null ? null : resplit(settled, framing, delimiter)),
    [settled, framing, delimiter],
  )
  return (
    <section className="split-list" aria-label="What onChunk gets">
      <label className="field-line">
        <span>delimiter</span>
        <input
          type="text"
          value={typed}
          spellCheck={false}
          placeholder={framing === null ? String.raw`such as \n` : NAMES[framing]}
          onChange={({ target }) => setTyped(target.value)}
        />
        {split !== null && <span className="quiet">{split.chunks.length} × onChunk</span>}
      </label>
      {split === null ? (
        <p className="quiet">By its content type this is one value: onChunk is not called.</p>
      ) : (
        <div className="values">
          <VirtualList
            count={split.chunks.length}
            rowHeight={26}
            label="Values of onChunk"
            render={(index) => (
              <div className="chunk-row">
                <span className="num">#{index + 1}</span>
                <span className="num">+{toDuration(split.chunks[index]?.at ?? 0)}</span>
                <span className="preview">{toPreview(split.chunks[index]?.value)}</span>
              </div>
            )}
          />
        </div>
      )}
      {split !== null && split.error !== null && <p className="fault">then rejects: {split.error}</p>}
    </section>
  )
}

function toPreview(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, 300)
}
