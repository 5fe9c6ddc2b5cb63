import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { CodeBlock } from '../components/code-block.tsx'
import { toSize } from '../components/format.ts'
import type { ConsoleFrame } from './frame-log.ts'
import { toClockTime } from './frame-row.tsx'

const FRAME_TITLES = { client: 'Sent', server: 'Received', note: 'Note' } as const

/** A frame as a whole. */
export function FrameInspector({ frame, onClose }: { frame: ConsoleFrame; onClose: () => void }): ReactNode {
  const { from, at, bytes, text } = frame
  return (
    <aside className="frame-inspector" aria-label="The selected frame">
      <CodeBlock title={`${FRAME_TITLES[from]} at ${toClockTime(at)}, ${toSize(bytes)}`} code={toPretty(text)} />
      <button type="button" className="button icon small" aria-label="Close the frame" onClick={onClose}>
        <X size={14} aria-hidden="true" />
      </button>
    </aside>
  )
}

/** JSON with lines, and all else as it is. */
function toPretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text // no JSON
  }
}
