import type { Log } from '../log/log.ts'

const warned = new WeakMap<Log, Set<string>>()

/** The maximum number of places that a warning lists. */
const MAX_NAMED = 10

/** Logs a warning with places in definitions, each once per logger: a project may be reloaded. */
export function warnOfPlaces(log: Log, message: string, places: readonly string[]): void {
  const known = warned.get(log) ?? new Set()
  warned.set(log, known)
  const fresh = places.filter((place) => !known.has(`${message} ${place}`))
  if (fresh.length === 0) return
  for (const place of fresh) known.add(`${message} ${place}`)
  log.warn(message, {
    input: fresh.slice(0, MAX_NAMED),
    ...(fresh.length > MAX_NAMED && { more: fresh.length - MAX_NAMED }),
  })
}
