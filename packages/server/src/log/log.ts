import { createBatchQueue, type BatchQueue } from './batch-queue.ts'
import { isLevelEnabled, logDefaults, type LogFormat, type LogLevel } from './log-defaults.ts'
import { toJsonLine, toPrettyLine, type LogEntry } from './log-line.ts'
import { toLogText, type LogFields } from './log-value.ts'
import { createTerminalStyle, type TerminalStyle } from './terminal-style.ts'
import { standardOutput, toLineText, type LogLine } from './standard-output.ts'

/** Where log lines go. For a logger that takes `(fields, message)`, see `fromPino`. */
export interface Log {
  /** For who looks for a fault. */
  debug(message: string, fields?: LogFields): void
  /** What happens. */
  info(message: string, fields?: LogFields): void
  /** What should not happen, and does no harm yet. */
  warn(message: string, fields?: LogFields): void
  /** What failed. */
  error(message: string, fields?: LogFields): void
}

/** Options of `createLog`. */
export interface LogOptions {
  /** Fields of every line. @default {} */
  fields?: LogFields
  /** JSON for machines, or lines for people. @default 'pretty' on a terminal outside production, else 'json' */
  format?: LogFormat
  /** The least that is worth a line. @default LOG_LEVEL, else 'info' in production and 'debug' elsewhere */
  level?: LogLevel
  /** Paint lines for people. @default on a terminal, unless NO_COLOR is set */
  colors?: boolean
  /** Takes a finished line, at once. @default standard output, several lines a write */
  write?: (line: string) => void
  /** The clock. @default Date.now */
  now?: () => number
}

/** What stands behind a log of `createLog`, for those who write beside it. */
export interface LogOutput {
  readonly format: LogFormat
  readonly level: LogLevel
  readonly fields: LogFields
  readonly style: TerminalStyle
  readonly queue: BatchQueue<LogLine>
}

const outputs = new WeakMap<Log, LogOutput>()

/**
 * Makes a log of JSON lines, or of lines for people. Secrets are hidden by their fields' names, and no call throws.
 * @example createLog({ level: 'warn' }).error('no answer', { host: 'db' })
 */
export function createLog(options: LogOptions = {}): Log {
  const { fields = {}, write, now = Date.now } = options
  const output = createOutput(options)
  const { queue, format, style, level: least } = output
  const toLine = (entry: LogEntry): string => (format === 'json' ? toJsonLine(entry) : toPrettyLine(entry, style))
  const say = (line: string): void => {
    if (write === undefined) return queue.addSoon(line)
    queue.add(line)
    void queue.flush()
  }
  const at = (level: LogEntry['level']): Log['info'] => {
    if (!isLevelEnabled(level, least)) return () => {}
    return (message, more) => say(toLine({ time: now(), level, message, fields: mergeFields(fields, more) }))
  }
  const log = logByLevel(at)
  outputs.set(log, output)
  return log
}

/** What stands behind a log; undefined for one that `createLog` did not make. */
export function findLogOutput(log: Log): LogOutput | undefined {
  return outputs.get(log)
}

/** A log that stands before another: request lines go where those of the other go. */
export function wrapLog(log: Log, front: Log): Log {
  const output = outputs.get(log)
  if (output !== undefined) outputs.set(front, output)
  return front
}

/** The same log with further fields on every line. */
export function withFields(log: Log, fields: LogFields): Log {
  return logByLevel((level) => (message, more) => log[level](message, mergeFields(fields, more)))
}

/** Creates a log from one function for each level. */
export function logByLevel(at: (level: keyof Log) => Log['info']): Log {
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** An error as log fields, with its causes. */
export function errorFields(error: unknown, depth = 0): LogFields {
  try {
    if (!(error instanceof Error)) return { error: typeof error === 'string' ? error : toLogText(error) }
    const cause = error.cause === undefined || depth > 4 ? {} : { cause: errorFields(error.cause, depth + 1) }
    return { error: error.message, stack: error.stack, ...cause }
  } catch {
    return { error: '[unreadable]' } // it was made to hurt whoever looks
  }
}

/** A log with a `write` of its own is read by a program, not on the terminal. */
function createOutput({ write, fields = {}, ...options }: LogOptions): LogOutput {
  const defaults = logDefaults()
  return {
    format: options.format ?? (write === undefined ? defaults.format : 'json'),
    level: options.level ?? defaults.level,
    fields,
    style: createTerminalStyle(options.colors ?? (write === undefined && defaults.isColoured)),
    // A `write` takes lines at once, so none is ever dropped.
    queue:
      write === undefined
        ? standardOutput()
        : createBatchQueue({ drain: (lines) => lines.forEach((line) => write(toLineText(line))) }),
  }
}

function mergeFields(fields: LogFields, more: LogFields | undefined): LogFields {
  if (more === undefined) return fields
  try {
    if (more instanceof Error) return { ...fields, ...errorFields(more) }
    // Text, lists and bytes are no fields, but worth a look; bytes have a million names.
    const isFields = typeof more === 'object' && !Array.isArray(more) && !ArrayBuffer.isView(more)
    return isFields ? { ...fields, ...more } : { ...fields, more }
  } catch {
    return { ...fields, more } // a getter threw; who writes the line can name it
  }
}
