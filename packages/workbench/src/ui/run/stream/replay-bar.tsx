import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import { useEffect, useState, type ReactNode } from 'react'
import { toDuration } from '../../components/format.ts'

const SPEEDS = [1, 4] as const

interface ReplayBarProps {
  readonly replay: Replay
  readonly end: number
  /** Whether the call is still in progress and cannot be replayed yet. */
  readonly isLive: boolean
  readonly onPlay: () => void
  readonly children: ReactNode
}

/** Controls that replay a stream at its original speed or four times as fast. */
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
            aria-label="Replay position"
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

/** The state of a replay. */
interface Replay {
  /** The current time in ms since the call started, or null if there is no replay. */
  readonly time: number | null
  /** The speed, or 0 if the replay is paused. */
  readonly speed: number
  /** Continues the replay, or restarts it if it is at the end. */
  play(speed: number): void
  pause(): void
  /** Jumps to a time. Null ends the replay. */
  seek(time: number | null): void
}

/** Returns a replay of a recording that lasts `end` ms, with its original timing. */
export function useReplay(end: number): Replay {
  const [time, seek] = useState<number | null>(null)
  const [speed, setSpeed] = useState(0)
  useEffect(() => {
    if (speed === 0) return undefined
    let last = performance.now()
    let frame = 0
    const step = (): void => {
      const now = performance.now()
      const passed = (now - last) * speed
      last = now
      seek((before) => Math.min(end, (before ?? 0) + passed))
      frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [speed, end])
  const isOver = time !== null && time >= end
  if (isOver && speed !== 0) setSpeed(0)
  return {
    time,
    speed,
    play(next) {
      if (time === null || isOver) seek(0)
      setSpeed(next)
    },
    pause: () => setSpeed(0),
    seek(next) {
      setSpeed(0)
      seek(next)
    },
  }
}
