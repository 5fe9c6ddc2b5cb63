import { useMemo, useState, type ReactNode } from 'react'
import type { Run } from '../../run.ts'
import { Empty } from '../components/empty.tsx'
import { VirtualList } from '../components/virtual-list.tsx'
import { FrameInspector } from '../sockets/frame-inspector.tsx'
import type { ConsoleFrame } from '../sockets/frame-log.ts'
import { FrameRow } from '../sockets/frame-row.tsx'
import '../sockets/sockets.css'

/** What went over a socket, both ways. */
export function SocketFrames({ run }: { run: Run }): ReactNode {
  const frames = useMemo(() => toConsoleFrames(run), [run])
  const [chosen, setChosen] = useState<number | null>(null)
  const selected = chosen === null ? undefined : frames[chosen]
  if (frames.length === 0) return <Empty title="No frames" />
  return (
    <section className="frame-panel" aria-label="Frames">
      <VirtualList
        label="Frames, the first one first"
        count={frames.length}
        rowHeight={26}
        selected={chosen}
        render={(index) => {
          const frame = frames[index]
          if (frame === undefined) return null
          return (
            <FrameRow
              frame={frame}
              isSelected={index === chosen}
              onSelect={() => setChosen(index === chosen ? null : index)}
              onStep={(step) => setChosen(Math.min(frames.length - 1, Math.max(0, index + step)))}
            />
          )
        }}
      />
      {selected !== undefined && <FrameInspector frame={selected} onClose={() => setChosen(null)} />}
    </section>
  )
}

/** What was recorded, as a console has it. */
function toConsoleFrames({ pieces, startedAt }: Run): ConsoleFrame[] {
  return pieces.map(({ at, from = 'server', text, bytes, encoding }, index) => ({
    id: index + 1,
    at: startedAt + at,
    from,
    text: encoding === 'base64' ? `(binary) ${text}` : text,
    bytes,
    tone: 'quiet',
  }))
}
