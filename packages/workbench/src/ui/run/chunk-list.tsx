import type { ReactNode } from 'react'
import { toDuration, toSize } from '../parts/figures.ts'
import type { Chunk } from './recording.ts'

/** More rows than this would slow the page down; the newest are the ones to see. */
const MAX_ROWS = 500

/** Every chunk with its time, the wait before it, and its size. */
export function ChunkList({ chunks }: { chunks: readonly Chunk[] }): ReactNode {
  const first = Math.max(0, chunks.length - MAX_ROWS)
  return (
    <>
      {first > 0 && <p className="quiet">{first} earlier chunks are not shown</p>}
      <table className="chunks">
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">at</th>
            <th scope="col">gap</th>
            <th scope="col">size</th>
            <th scope="col">chunk</th>
          </tr>
        </thead>
        <tbody>
          {chunks.slice(first).map(({ value, at, bytes }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- chunks are only ever appended
            <tr key={first + index}>
              <td>{first + index + 1}</td>
              <td>+{toDuration(at)}</td>
              <td>{toDuration(at - (chunks[first + index - 1]?.at ?? 0))}</td>
              <td>{toSize(bytes)}</td>
              <td className="value">{typeof value === 'string' ? value : JSON.stringify(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
