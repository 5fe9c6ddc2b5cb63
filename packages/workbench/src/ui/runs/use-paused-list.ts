import { useState } from 'react'
import type { RunSummary } from '../../run.ts'
import { pausedAt, type Feed } from './run-feed.ts'

/** A list that stands still while it is read. */
export interface PausedList {
  readonly shown: readonly RunSummary[]
  readonly held: number
  readonly isPaused: boolean
  pause(isPaused: boolean): void
  /** The list was scrolled: down from its top, or back to it. */
  scroll(isDown: boolean): void
  /** Lets in what was held back until now. */
  release(): void
}

/** Holds new runs back while the reader is paused or has scrolled down. */
export function usePausedList(feed: Feed): PausedList {
  const [top, setTop] = useState<string | null>(null)
  const [isPaused, setPaused] = useState(false)
  const newest = feed.runs[0]?.id ?? null
  const hold = (isHeld: boolean): void => setTop((now) => (isHeld ? (now ?? newest) : null))
  return {
    ...pausedAt(feed, top),
    isPaused,
    pause(next) {
      setPaused(next)
      hold(next)
    },
    scroll: (isDown) => hold(isDown || isPaused),
    release: () => setTop(isPaused ? newest : null),
  }
}
