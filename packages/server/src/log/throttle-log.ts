import { logByLevel, type Log } from './log.ts'

/** The same line is written at most once in this time. */
const THROTTLE_MS = 10_000
/** More than those are not the same few that fail for everybody. */
const MAX_THROTTLED_LINES = 100

/**
 * A log for what fails for everybody at once, as when an engine is away: it says a line, then the same one only after ten
 * seconds, with how many were `omitted`. Lines are the same that have the same message and the same `error`.
 */
export function throttleLog(log: Log, now: () => number = () => performance.now()): Log {
  const known = new Map<string, { at: number; omitted: number }>()
  return logByLevel((level) => (message, fields) => {
    const line = `${message} ${String(fields?.['error'])}`
    const logged = known.get(line)
    if (logged !== undefined && now() - logged.at < THROTTLE_MS) {
      logged.omitted += 1
      return
    }
    if (known.size >= MAX_THROTTLED_LINES) known.clear()
    known.set(line, { at: now(), omitted: 0 })
    log[level](message, (logged?.omitted ?? 0) === 0 ? fields : { ...fields, omitted: logged?.omitted })
  })
}
