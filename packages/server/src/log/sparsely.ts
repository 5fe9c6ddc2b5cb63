import type { Log, LogFields } from './log.ts'

/** The same line is written at most once in so many ms. */
const EVERY = 10_000

interface Said {
  at: number
  omitted: number
}

/**
 * A log for what fails for everybody at once, as when an engine is away: it says a line, then the same one only after ten
 * seconds, with how many were `omitted`. Its messages are few and fixed; what differs is in their fields.
 */
export function sparsely(log: Log, now: () => number = () => performance.now()): Log {
  const known = new Map<string, Said>()
  const at =
    (level: keyof Log) =>
    (message: string, fields?: LogFields): void => {
      const said = known.get(message)
      if (said !== undefined && now() - said.at < EVERY) return void (said.omitted += 1)
      known.set(message, { at: now(), omitted: 0 })
      log[level](message, said === undefined || said.omitted === 0 ? fields : { ...fields, omitted: said.omitted })
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
