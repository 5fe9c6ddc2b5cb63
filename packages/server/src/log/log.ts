import { createBatchQueue, type BatchQueue } from './batch-queue.ts'
import {
  assertLogLevel,
  defaultLogLevel,
  isLevelEnabled,
  logDefaults,
  type LogFormat,
  type LogLevel,
} from './log-defaults.ts'
import { toJsonLine, toPrettyLine, type LogEntry } from './log-line.ts'
import { toLogText, type LogFields } from './log-value.ts'
import { createTerminalStyle, type TerminalStyle } from './terminal-style.ts'
import { standardOutput, toLineText, type LogLine } from './standard-output.ts'

/** A logger. To use a logger that accepts `(fields, message)`, see `fromPino`. */
export interface Log {
  /** Logs details for debugging. */
  debug(message: string, fields?: LogFields): void
  /** Logs a normal event. */
  info(message: string, fields?: LogFields): void
  /** Logs a problem that has not caused a failure. */
  warn(message: string, fields?: LogFields): void
  /** Logs a failure. */
  error(message: string, fields?: LogFields): void
}

/** Options for `createLog`. */
export interface LogOptions {
  /** The fields to add to every line. @default {} */
  fields?: LogFields
  /** The format of the lines: JSON or readable. @default 'pretty' on a terminal outside production, otherwise 'json' */
  format?: LogFormat
  /** The minimum level to log. @default LOG_LEVEL, or 'info' in production and 'debug' otherwise */
  level?: LogLevel
  /** Whether to color readable lines. @default true on a terminal, unless NO_COLOR is set */
  colors?: boolean
  /** Writes a line synchronously. @default standard output, in batches */
  write?: (line: string) => void
  /** The clock. @default Date.now */
  now?: () => number
}

/** The output of a logger created by `createLog`, which other writers can share. */
export interface LogOutput {
  readonly format: LogFormat
  readonly level: LogLevel
  readonly fields: LogFields
  readonly style: TerminalStyle
  readonly queue: BatchQueue<LogLine>
}

const outputs = new WeakMap<Log, LogOutput>()

/**
 * Creates a logger that writes JSON lines or readable lines. It redacts secrets based on field names, and never throws.
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

/** Returns the output of a logger, or undefined if the logger was not created by `createLog`. */
export function findLogOutput(log: Log): LogOutput | undefined {
  return outputs.get(log)
}

/** Registers `front` as a wrapper around `log`, so that request lines share the output of `log`. Returns `front`. */
export function wrapLog(log: Log, front: Log): Log {
  const output = outputs.get(log)
  if (output !== undefined) outputs.set(front, output)
  return front
}

/** Returns a logger that adds fields to every line. */
export function withFields(log: Log, fields: LogFields): Log {
  return logByLevel((level) => (message, more) => log[level](message, mergeFields(fields, more)))
}

/** Creates a logger from one function for each level. */
export function logByLevel(at: (level: keyof Log) => Log['info']): Log {
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Converts an error and its causes to log fields. */
export function errorFields(error: unknown, depth = 0): LogFields {
  try {
    if (!(error instanceof Error)) return { error: typeof error === 'string' ? error : toLogText(error) }
    const cause = error.cause === undefined || depth > 4 ? {} : { cause: errorFields(error.cause, depth + 1) }
    return { error: error.message, stack: error.stack, ...cause }
  } catch {
    return { error: '[unreadable]' } // a getter threw an error
  }
}

/**
 * Creates a logger's output. A custom `write` defaults to JSON, since its lines are read by a program, not on a
 * terminal.
 */
function createOutput({ write, fields = {}, ...options }: LogOptions): LogOutput {
  const defaults = logDefaults()
  return {
    format: options.format ?? (write === undefined ? defaults.format : 'json'),
    level: options.level === undefined ? defaultLogLevel() : assertLogLevel(options.level),
    fields,
    style: createTerminalStyle(options.colors ?? (write === undefined && defaults.isColoured)),
    // A custom `write` is synchronous, so no line is ever dropped.
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
    // Strings, arrays and bytes are logged as a single field. Spreading bytes would add a field for each byte.
    const isFields = typeof more === 'object' && !Array.isArray(more) && !ArrayBuffer.isView(more)
    return isFields ? { ...fields, ...more } : { ...fields, more }
  } catch {
    return { ...fields, more } // a getter threw an error, which the line writer can handle
  }
}
