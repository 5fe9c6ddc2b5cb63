import type { ReactNode } from 'react'
import { toDuration, toSize } from '../../components/format.ts'
import { VirtualList } from '../../components/virtual-list.tsx'
import { onListKeys } from './chunk-strip.tsx'
import { chunkText, type Chunk } from './recording.ts'

const CHUNK_ROW_HEIGHT = 26
const MAX_PREVIEW = 200

interface ChunkListProps {
  readonly chunks: readonly Chunk[]
  /** -1: none. */
  readonly selected: number
  readonly onSelect: (index: number) => void
}

/** Every chunk with its time, the wait before it, its size and its beginning. */
export function ChunkList({ chunks, selected, onSelect }: ChunkListProps): ReactNode {
  return (
    <div className="chunk-list" onKeyDown={(event) => onListKeys(event, { selected, count: chunks.length, onSelect })}>
      <VirtualList
        count={chunks.length}
        rowHeight={CHUNK_ROW_HEIGHT}
        label="Chunks"
        selected={selected < 0 ? null : selected}
        render={(index) => {
          const chunk = chunks[index]
          if (chunk === undefined) return null
          return (
            <button
              type="button"
              className="chunk-row"
              tabIndex={-1}
              aria-pressed={index === selected}
              onClick={() => onSelect(index)}
            >
              <span className="num">#{index + 1}</span>
              <span className="num">+{toDuration(chunk.at)}</span>
              <span className="num gap">(gap {toDuration(chunk.at - (chunks[index - 1]?.at ?? 0))})</span>
              <span className="num">{toSize(chunk.bytes)}</span>
              {chunk.from !== undefined && <span className="from">{chunk.from === 'client' ? '↑' : '↓'}</span>}
              <span className="preview">{chunkPreview(chunk)}</span>
            </button>
          )
        }}
      />
    </div>
  )
}

/** The beginning of a chunk, in one line. */
function chunkPreview(chunk: Chunk): string {
  const { data } = chunk
  const start = 'text' in data ? data : data.subarray(0, MAX_PREVIEW)
  return chunkText({ ...chunk, data: start })
    .slice(0, MAX_PREVIEW)
    .replaceAll('\n', '⏎')
}
