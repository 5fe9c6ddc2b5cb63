import { useRef, useState } from 'react'
import type { LogLine } from '../../api.ts'
import { useEvents } from '../data/use-events.ts'

/** How many lines are kept: the newest. */
const MAX_LINES = 5000

/** Lines within this time are shown in one render, so that an app that logs much does not keep the page busy. */
const RENDER_DEBOUNCE_MS = 50

/** The lines that the app has logged since the page is open. */
export function useLogLines(): { lines: readonly LogLine[]; clear: () => void } {
  const [lines, setLines] = useState<readonly LogLine[]>([])
  const waiting = useRef<LogLine[]>([])
  useEvents('log', (line) => {
    if (waiting.current.push(line) > 1) return
    setTimeout(() => {
      const come = waiting.current.splice(0)
      setLines((old) => [...old, ...come].slice(-MAX_LINES))
    }, RENDER_DEBOUNCE_MS)
  })
  return { lines, clear: () => setLines([]) }
}
