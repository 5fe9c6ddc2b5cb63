import { useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { useStoredState } from './stored-value.ts'

interface SplitPaneProps {
  readonly name: string
  /** A description of both panes, such as `Input and result`. */
  readonly label: string
  /** The initial width of the first pane, in percent. @default 50 */
  readonly initial?: number
  readonly first: ReactNode
  readonly second: ReactNode
}

const MIN = 20
const MAX = 80

/** Two panes with a separator that can be dragged or moved with the arrow keys. In narrow windows, they are stacked. */
export function SplitPane({ name, label, initial = 50, first, second }: SplitPaneProps): ReactNode {
  const whole = useRef<HTMLDivElement>(null)
  const [share, setShare] = useStoredState(`split:${name}`, initial)
  const move = (next: number): void => setShare(Math.round(Math.min(MAX, Math.max(MIN, next))))

  function onPointerMove(event: PointerEvent): void {
    const box = whole.current?.getBoundingClientRect()
    if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    move(((event.clientX - box.left) / box.width) * 100)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const next = { ArrowLeft: share - 2, ArrowRight: share + 2, Home: MIN, End: MAX, Enter: initial }[event.key]
    if (next === undefined) return
    event.preventDefault()
    move(next)
  }

  return (
    <div className="split" ref={whole} style={{ '--first': `${share}fr`, '--second': `${100 - share}fr` } as object}>
      <div className="pane">{first}</div>
      <div
        className="split-line"
        role="separator"
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={share}
        aria-valuemin={MIN}
        aria-valuemax={MAX}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
        onDoubleClick={() => move(initial)}
      />
      <div className="pane">{second}</div>
    </div>
  )
}
