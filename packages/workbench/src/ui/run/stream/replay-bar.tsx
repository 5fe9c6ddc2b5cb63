import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import type { ReactNode } from 'react'
import { toDuration } from '../../components/format.ts'
import type { Replay } from './use-replay.ts'

const SPEEDS = [1, 4] as const

interface ReplayBarProps {
  readonly replay: Replay
  readonly end: number
  /** A call that still runs cannot be replayed. */
  readonly isLive: boolean
  readonly onPlay: () => void
  readonly children: ReactNode
}

/** Plays a stream again, as fast as it was or four times as fast. */
export function ReplayBar({ replay, end, isLive, onPlay, children }: ReplayBarProps): ReactNode {
  return (
    <div className="replay">
      {!isLive && (
        <>
          {SPEEDS.map((speed) => {
            const isOn = replay.speed === speed
            return (
              <button
                key={speed}
                type="button"
                className="button"
                aria-label={isOn ? 'Pause the replay' : `Replay at ${speed}×`}
                onClick={() => {
                  if (isOn) return replay.pause()
                  onPlay()
                  replay.play(speed)
                }}
              >
                {isOn ? <Pause size={12} aria-hidden="true" /> : <Play size={12} aria-hidden="true" />} {speed}×
              </button>
            )
          })}
          <input
            type="range"
            aria-label="Moment of the replay"
            min={0}
            max={end}
            step="any"
            value={replay.time ?? end}
            onChange={({ target }) => {
              onPlay()
              replay.seek(target.valueAsNumber)
            }}
          />
          <output className="num">{toDuration(replay.time ?? end)}</output>
          {replay.time !== null && (
            <button type="button" className="button" onClick={() => replay.seek(null)}>
              Done
            </button>
          )}
        </>
      )}
      {children}
    </div>
  )
}
