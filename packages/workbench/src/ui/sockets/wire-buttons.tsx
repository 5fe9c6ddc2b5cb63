import { useSyncExternalStore, type ReactNode } from 'react'
import type { ControlledWire } from './wire.ts'

interface WireButtonsProps {
  readonly wire: ControlledWire
  readonly isOver: boolean
  readonly connect: () => void
  readonly disconnect: () => void
}

const DELAYS = [0, 100, 500, 2000, 8000]

/** Buttons to disturb the wire, to watch how a client reacts. */
export function WireButtons({ wire, isOver, connect, disconnect }: WireButtonsProps): ReactNode {
  const { isPaused, isDown, delayMs } = useSyncExternalStore(wire.state.subscribe, wire.state.get)
  return (
    <div className="wire-buttons" role="group" aria-label="The wire">
      <button
        type="button"
        className="button small"
        title="Cut the wire: what is on its way is lost"
        disabled={isOver}
        onClick={wire.drop}
      >
        Drop
      </button>
      <button
        type="button"
        className="button small"
        aria-pressed={isDown}
        title="Cut the wire, and let no new connection through"
        onClick={() => wire.setDown(!isDown)}
      >
        Stay down
      </button>
      <button
        type="button"
        className="button small"
        aria-pressed={isPaused}
        title="Stop reading: what the server sends is delivered later"
        onClick={() => wire.pause(!isPaused)}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <label className="slow" data-on={delayMs > 0}>
        Slow
        <select value={delayMs} onChange={(event) => wire.slow(Number(event.target.value))}>
          {DELAYS.map((ms) => (
            <option key={ms} value={ms}>
              {ms === 0 ? 'off' : `${ms < 1000 ? `${ms} ms` : `${ms / 1000} s`} each way`}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="button small connect" onClick={isOver ? connect : disconnect}>
        {isOver ? 'Connect' : 'Disconnect'}
      </button>
    </div>
  )
}
