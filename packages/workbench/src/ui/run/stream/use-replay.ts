import { useEffect, useState } from 'react'

/** Where a replay stands. */
export interface Replay {
  /** ms after the call began; null: nothing is replayed. */
  readonly time: number | null
  /** How fast it plays; 0: it stands. */
  readonly speed: number
  /** Plays on, from the beginning where it is at the end. */
  play(speed: number): void
  pause(): void
  /** Goes to a moment; null leaves the replay. */
  seek(time: number | null): void
}

/** Plays a recording of so many ms again, at the times it was recorded with. */
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
