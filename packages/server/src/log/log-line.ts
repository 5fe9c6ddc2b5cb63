import { cutText, toLogFields, toLogText, toObjectText, type LogFields } from './log-value.ts'
import type { TerminalStyle } from './terminal-style.ts'

/** A log entry. */
export interface LogEntry {
  readonly time: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: LogFields
}

/** The field names that every line contains. A custom field with one of these names gets a trailing underscore. */
const RESERVED_FIELDS: ReadonlySet<string> = new Set(['time', 'level', 'message'])

/** Formats an entry as a JSON line. */
export function toJsonLine({ time, level, message, fields }: LogEntry): string {
  return toObjectText([
    ['time', `"${isoTime(time)}"`],
    ['level', `"${level}"`],
    ['message', toLogText(message)],
    ...toExtraFields(fields),
  ])
}

/** Formats the fields that follow the message. */
export function toExtraFields(fields: LogFields): [name: string, text: string][] {
  return toLogFields(fields).map(([name, text]) => [RESERVED_FIELDS.has(name) ? `${name}_` : name, text])
}

/** Formats an entry as a readable line: time, level, message and fields, followed by the stack traces. */
export function toPrettyLine({ time, level, message, fields }: LogEntry, style: TerminalStyle): string {
  const stacks = stacksOf(fields)
  // Callers may pass an error as the message.
  const text = typeof message === 'string' ? cutText(message) : toLogText(message)
  // A stack trace begins with the error's message, so a multi-line message is shown only there.
  const isBelow = (name: string, value: string): boolean =>
    stacks.length > 0 && (name === 'stack' || name === 'cause' || (name === 'error' && value.includes('\\n')))
  const isSaid = (name: string, value: string): boolean =>
    isBelow(name, value) || (name === 'error' && value === toLogText(message))
  const aside = toLogFields(fields)
    .filter(([name, value]) => !isSaid(name, value))
    .map(([name, value]) => ` ${style.dim(`${printable(name)}=`)}${printable(value)}`)
    .join('')
  const below = stacks.map((stack) => `\n${style.dim(stack)}`).join('')
  return `${style.dim(clockTime(time))} ${LEVEL_LABELS[level](style)} ${printable(text)}${aside}${below}`
}

const LEVEL_LABELS: Record<LogEntry['level'], (style: TerminalStyle) => string> = {
  debug: (style) => style.dim('debug'),
  info: (style) => style.cyan('info '),
  warn: (style) => style.yellow('warn '),
  error: (style) => style.red('error'),
}

/** Returns the stack traces of an error and its causes, from the result of `errorFields`. */
function stacksOf(fields: unknown): string[] {
  const stacks: string[] = []
  try {
    let at = fields as { stack?: unknown; cause?: unknown } | undefined
    while (typeof at === 'object' && typeof at?.stack === 'string' && stacks.length < 8) {
      stacks.push(printable(cutText(at.stack), CONTROLS_IN_LINES))
      at = at.cause as typeof at
    }
  } catch {
    return stacks // a getter threw an error
  }
  return stacks
}

const CONTROL_CHARACTERS = /\p{Cc}/gu
const CONTROLS_IN_LINES = /(?!\n)\p{Cc}/gu

/** Escapes control characters, so that text cannot move the cursor or forge a line. */
export function printable(text: string, controls: RegExp = CONTROL_CHARACTERS): string {
  return text.replaceAll(controls, (mark) => `\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** Formats a time of day in the local time zone. */
export function clockTime(time: number): string {
  return new Date(time).toTimeString().slice(0, 8)
}

let second = NaN
let secondText = ''

/** Formats a time as `2026-01-31T12:00:00.000Z`. Caches the current second, since a `Date` per line would be slow. */
export function isoTime(time: number): string {
  const ms = Math.floor(time)
  const at = Math.floor(ms / 1_000)
  if (at !== second) {
    const date = new Date(at * 1_000)
    // A line must not be lost because of an invalid time.
    if (Number.isNaN(date.getTime())) return new Date(0).toISOString()
    second = at
    secondText = date.toISOString().slice(0, -4)
  }
  return `${secondText}${String(ms - at * 1_000).padStart(3, '0')}Z`
}
