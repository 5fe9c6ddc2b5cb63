import type { ReactNode } from 'react'
import { toDuration } from '../parts/figures.ts'
import type { Recording } from './recording.ts'

const WIDTH = 1000
const HEIGHT = 48

/** A time axis with a tick for every chunk; the higher, the more bytes. */
export function ChunkStrip({ recording: { chunks, total } }: { recording: Recording }): ReactNode {
  const end = Math.max(total ?? 0, chunks.at(-1)?.at ?? 0, 1)
  const most = Math.max(...chunks.map(({ bytes }) => bytes), 1)
  return (
    <figure className="strip">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="When the chunks arrived"
      >
        {chunks.map(({ at, bytes }, index) => {
          const height = 8 + (HEIGHT - 8) * (bytes / most)
          // oxlint-disable-next-line react/no-array-index-key -- chunks are only ever appended
          return <rect key={index} x={(at / end) * (WIDTH - 4)} y={HEIGHT - height} width={4} height={height} rx={1} />
        })}
      </svg>
      <figcaption>
        <span>0</span>
        <span>{toDuration(end / 2)}</span>
        <span>{toDuration(end)}</span>
      </figcaption>
    </figure>
  )
}
