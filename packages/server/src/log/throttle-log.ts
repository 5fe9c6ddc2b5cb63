import { logByLevel, type Log } from './log.ts'

/** The minimum time between two identical lines, in ms. */
const THROTTLE_MS = 10_000
/** The maximum number of tracked lines. An outage produces only a few distinct lines. */
const MAX_THROTTLED_LINES = 100

/**
 * Creates a logger for failures that affect all clients, such as an engine outage. It writes identical lines at most
 * once every ten seconds, and adds the number of lines omitted in between as `omitted`. Lines are identical if they
 * have the same message and `error`.
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
