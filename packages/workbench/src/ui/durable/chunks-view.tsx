import type { ReactNode } from 'react'
import type { RunInspection } from '../../api.ts'
import { Empty } from '../components/empty.tsx'
import { toChunks, toCount } from '../components/format.ts'
import { VirtualList } from '../components/virtual-list.tsx'
import { toChunkRows } from './chunk-rows.ts'

const CHUNK_ROW_HEIGHT = 28
const MAX_ROWS = 16

/** The chunks of a run, with a mark where an attempt has retracted the chunks of an earlier one. */
export function ChunksView({ found }: { found: RunInspection }): ReactNode {
  const { chunkCount, firstChunk, chunks, run } = found
  const rows = toChunkRows(found)
  if (rows.length === 0)
    return (
      <Empty title="No chunks">
        <p>{run.isStream ? 'The agent has not yielded a chunk yet.' : 'This agent returns one value.'}</p>
      </Empty>
    )
  return (
    <div className="durable-chunks">
      <p className="quiet small">
        {toChunks(chunkCount)}
        {chunks.length < chunkCount &&
          `. Chunks ${toCount(firstChunk + 1)} to ${toCount(firstChunk + chunks.length)} are shown.`}
      </p>
      <div style={{ height: Math.min(MAX_ROWS, rows.length) * CHUNK_ROW_HEIGHT }}>
        <VirtualList
          count={rows.length}
          rowHeight={CHUNK_ROW_HEIGHT}
          label="Chunks"
          isFollowing={run.endedAt === null}
          render={(index) => {
            const row = rows[index]
            if (row === undefined) return null
            if (row.kind === 'retraction')
              return (
                <p className="retraction cut">
                  Attempt {row.epoch} continued after {toChunks(row.keep)}: later ones were retracted
                </p>
              )
            return (
              <p className="chunk-row">
                <span className="num">#{row.index + 1}</span>
                <span className="num">attempt {row.epoch}</span>
                <span className="preview cut">{row.text}</span>
              </p>
            )
          }}
        />
      </div>
    </div>
  )
}
