import type { LogFields } from './log-value.ts'
import { logByLevel, type Log } from './log.ts'

/** A logger that accepts the fields first, like pino and bunyan. */
export interface PinoLike {
  debug: PinoMethod
  info: PinoMethod
  warn: PinoMethod
  error: PinoMethod
}

type PinoMethod = (fields: LogFields, message: string) => void

/**
 * Converts pino, or a similar logger, to a `Log`.
 * @example createApp({ log: fromPino(bunyan.createLogger({ name: 'shop' })) })
 */
export function fromPino(logger: PinoLike): Log {
  return logByLevel(
    (level) =>
      (message, fields = {}) =>
        logger[level](fields, message),
  )
}

/**
 * Converts a pino logger to a `Log`, and returns any other logger unchanged. Without the conversion, fields logged to
 * pino would be lost silently.
 */
export function toLog(given: Log | PinoLike): Log {
  return isPino(given) ? fromPino(given) : given
}

/**
 * Returns whether a logger is pino. Winston also has `child`, but accepts the message first. Only pino has `bindings`.
 */
function isPino(given: object): given is PinoLike {
  return 'bindings' in given && typeof given.bindings === 'function' && 'child' in given
}
