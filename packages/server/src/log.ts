/** What a log line may carry beside its message. */
export type LogFields = Record<string, unknown>

/** Where log lines go. A pino-like logger fits after `(message, fields)`. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** Options of `createLog`. */
export interface LogOptions {
  /** Fields of every line. @default {} */
  fields?: LogFields
  /** Takes a finished line. @default console.log */
  write?: (line: string) => void
  /** The clock. @default Date.now */
  now?: () => number
}

/** A log of JSON lines. */
export function createLog(options: LogOptions = {}): Log {
  // oxlint-disable-next-line no-console -- the default sink of a server's log
  const { fields = {}, write = console.log, now = Date.now } = options
  const at = (level: string) => (message: string, more?: LogFields) =>
    write(toLine({ time: new Date(now()).toISOString(), level, message, ...fields, ...more }))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** The same log with further fields on every line. */
export function withFields(log: Log, fields: LogFields): Log {
  return {
    debug: (message, more) => log.debug(message, { ...fields, ...more }),
    info: (message, more) => log.info(message, { ...fields, ...more }),
    warn: (message, more) => log.warn(message, { ...fields, ...more }),
    error: (message, more) => log.error(message, { ...fields, ...more }),
  }
}

/** An error as log fields, with its causes. */
export function errorFields(error: unknown, depth = 0): LogFields {
  if (!(error instanceof Error)) return { error: typeof error === 'string' ? error : toLine(error) }
  const cause = error.cause === undefined || depth > 4 ? {} : { cause: errorFields(error.cause, depth + 1) }
  return { error: error.message, stack: error.stack, ...cause }
}

function toLine(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ??
      'undefined'
    )
  } catch {
    return JSON.stringify(String(value)) // circular or hostile; a log line never throws
  }
}
