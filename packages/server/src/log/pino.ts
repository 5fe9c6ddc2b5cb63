import type { LogFields } from './log-value.ts'
import { logByLevel, type Log } from './log.ts'

/** A logger that takes the fields first, as pino and bunyan do. */
export interface PinoLike {
  debug: PinoMethod
  info: PinoMethod
  warn: PinoMethod
  error: PinoMethod
}

type PinoMethod = (fields: LogFields, message: string) => void

/**
 * Pino, or a logger of its kind, as a `Log`.
 * @example createApp({ log: fromPino(bunyan.createLogger({ name: 'shop' })) })
 */
export function fromPino(logger: PinoLike): Log {
  return logByLevel(
    (level) =>
      (message, fields = {}) =>
        logger[level](fields, message),
  )
}

/** A log as it was given; pino is known by its look, since its fields would get lost without a word. */
export function toLog(given: Log | PinoLike): Log {
  return isPino(given) ? fromPino(given) : given
}

/** Winston has children too, and takes the message first, as we do; bindings has pino alone. */
function isPino(given: object): given is PinoLike {
  return 'bindings' in given && typeof given.bindings === 'function' && 'child' in given
}
