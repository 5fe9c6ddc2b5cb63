import { clockTime, isoTime, printable, toExtraFields } from './log-line.ts'
import { quoteJson, type LogFields } from './log-value.ts'
import type { TerminalStyle } from './terminal-style.ts'

/** The record of a completed request. */
export interface RequestRecord {
  /** The time when the response ended, in ms since the Unix epoch. */
  readonly time: number
  readonly requestId: string
  readonly method: string
  /** The name of the route, or null if no route matched. */
  readonly route: string | null
  /** The path as sent, without the query string, which may contain secrets. */
  readonly target: string
  readonly status: number
  /** The duration in ms. */
  readonly ms: number
  /** The size of the response body in bytes. */
  readonly bytes: number
  readonly userId: string | null
  readonly traceId: string | null
  /** Whether the client disconnected before the response ended. */
  readonly aborted: boolean
  /** The number of model calls. It is not set if there were none, as are the following members. */
  readonly modelCalls?: number | undefined
  readonly inputTokens?: number | undefined
  /** The input tokens that the provider has read from its cache. */
  readonly cachedTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** The output tokens that the model has spent on reasoning. */
  readonly reasoningTokens?: number | undefined
}

/**
 * Creates a function that formats records as JSON lines, each with `fields`. The members are always in the same order.
 */
export function jsonRecordWriter(fields: LogFields): (record: RequestRecord) => string {
  const tail = toExtraFields(fields)
    .filter(([name]) => !RECORD_MEMBERS.has(name))
    .map(([name, text]) => `,${JSON.stringify(name)}:${text}`)
    .join('')
  const routes = new Map<string, string>()
  /** Escapes a route name, without quotes. The number of routes is bounded, so the result is cached. */
  const escaped = (route: string): string => {
    let text = routes.get(route)
    if (text === undefined) routes.set(route, (text = quoteJson(route).slice(1, -1)))
    return text
  }
  return (record) => {
    const { route, status } = record
    const name = route === null ? null : escaped(route)
    const message = name === null ? quoteJson(toRecordMessage(record)) : `"${name} ${status}"`
    return (
      `{"time":"${isoTime(record.time)}","level":"${toRecordLevel(record)}","message":${message}` +
      `,"requestId":${quoteJson(record.requestId)},"method":${quoteJson(record.method)}` +
      `,"route":${name === null ? 'null' : `"${name}"`},"target":${quoteJson(record.target)}` +
      `,"status":${number(status)},"ms":${decimal(record.ms)},"bytes":${number(record.bytes)}` +
      `,"userId":${quoteOrNull(record.userId)},"traceId":${quoteOrNull(record.traceId)}` +
      `,"aborted":${record.aborted}${toModelMembers(record)}${tail}}`
    )
  }
}

const RECORD_MEMBERS: ReadonlySet<string> = new Set<keyof RequestRecord>([
  'requestId',
  'method',
  'route',
  'target',
  'status',
  'ms',
  'bytes',
  'userId',
  'traceId',
  'aborted',
  'modelCalls',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
  'reasoningTokens',
])

function toModelMembers(record: RequestRecord): string {
  if (record.modelCalls === undefined) return ''
  const { modelCalls, inputTokens, cachedTokens, outputTokens, reasoningTokens } = record
  return `,${JSON.stringify({ modelCalls, inputTokens, cachedTokens, outputTokens, reasoningTokens }).slice(1, -1)}`
}

/**
 * Creates a function that formats records as readable lines. The path follows the fixed-width columns, so that they
 * remain aligned.
 */
export function prettyRecordWriter(style: TerminalStyle): (record: RequestRecord) => string {
  return (record) => {
    const { status, method, target, userId, aborted } = record
    const columns = [
      style.dim(clockTime(record.time)),
      statusPaint(status, style)(String(status)),
      printable(method).padEnd(7),
      toDurationText(record.ms).padStart(8),
      style.dim(toSizeText(record.bytes).padStart(8)),
      ` ${printable(target)}`,
      userId === null ? '' : style.dim(`user ${printable(userId)}`),
      aborted ? style.yellow('aborted') : '',
      record.modelCalls === undefined ? '' : style.dim(toTokenText(record)),
      status >= 500 ? style.dim(printable(record.requestId)) : '',
    ]
    return columns.filter((column) => column !== '').join(' ')
  }
}

/** Returns the log message for a request: the route, or the method and path if no route matched, and the status. */
export function toRecordMessage({ route, method, target, status }: RequestRecord): string {
  return `${route ?? `${method} ${target}`} ${status}`
}

/** Returns the log level for a record. A 4xx status is not a warning, since clients could otherwise trigger alerts. */
export function toRecordLevel({ status }: RequestRecord): 'info' | 'error' {
  return status >= 500 ? 'error' : 'info'
}

function quoteOrNull(text: string | null): string {
  return text === null ? 'null' : quoteJson(text)
}

/** Formats ms with three decimal places. The built-in formatting of decimal numbers is slow. */
function decimal(ms: number): string {
  if (!(ms >= 0 && ms < 1e9)) return number(ms)
  const micros = Math.round(ms * 1_000)
  const whole = Math.floor(micros / 1_000)
  return `${whole}.${String(micros - whole * 1_000).padStart(3, '0')}`
}

function number(value: number): string {
  return Number.isFinite(value) ? String(value) : 'null'
}

function statusPaint(status: number, style: TerminalStyle): (text: string) => string {
  if (status >= 500) return style.red
  if (status >= 400) return style.yellow
  return status >= 300 ? style.cyan : style.green
}

function toDurationText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(2)} ms`
  if (ms < 1_000) return `${ms.toFixed(0)} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

function toTokenText({ modelCalls, inputTokens, outputTokens }: RequestRecord): string {
  return `${modelCalls} model ${modelCalls === 1 ? 'call' : 'calls'}, ${inputTokens} tokens in, ${outputTokens} out`
}

function toSizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}
