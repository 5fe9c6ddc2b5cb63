import { toPointer, type CursorValue, type DetailCode, type ErrorDetail } from '@sdk/protocol'
import { hasUnstorableCharacters } from '../http/json.ts'
import { hasToJson } from '../log/log-value.ts'
import type { Field, FieldType, Scalar } from '../define/store.ts'

/** An issue found when validating a value. */
export interface ValueIssue {
  readonly code: DetailCode
  readonly message: string
}

/** Parses a filter value. Returns an issue if the value is invalid. */
export function parseScalar(text: string, type: FieldType): Scalar | ValueIssue {
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : formatIssue('must be true or false'))
  if (type === 'integer') {
    if (!/^-?(?:0|[1-9]\d{0,15})$/.test(text)) return formatIssue('must be an integer')
    const value = Number(text)
    return Number.isSafeInteger(value) ? value : formatIssue('must be an integer between -(2^53-1) and 2^53-1')
  }
  if (type === 'number') {
    const value = NUMBER_PATTERN.test(text) ? Number(text) : NaN
    return Number.isFinite(value) ? value : formatIssue('must be a number')
  }
  if (type === 'timestamp' || type === 'date') return normalizeMoment(text, type) ?? formatIssue(MOMENT_MESSAGES[type])
  return text
}

/** Returns whether the result of `parseScalar` is an issue. */
export function isValueIssue(value: Scalar | ValueIssue): value is ValueIssue {
  return typeof value === 'object'
}

/** Returns whether a cursor's value is valid for a field. */
export function isCursorValue(value: CursorValue, { type, isNullable }: Field): boolean {
  if (value === null) return isNullable
  if (type === 'timestamp' || type === 'date')
    return typeof value === 'string' && normalizeMoment(value, type) === value
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'string') return typeof value === 'string' && !hasUnstorableCharacters(value)
  return typeof value === type
}

const MOMENT_MESSAGES = {
  timestamp: 'must be a date and time, such as 2026-01-31T10:00:00Z',
  date: 'must be a date, such as 2026-01-31',
} as const

/**
 * Converts a value to its stored JSON form. A missing value becomes `null`. Adds an issue for an invalid date or
 * timestamp.
 */
export function toStoredValue(value: unknown, { name, type }: Field, issues: ErrorDetail[]): unknown {
  if (value === undefined || value === null) return null
  if (type === 'json') return toStoredJson(value, name)
  if ((type !== 'timestamp' && type !== 'date') || typeof value !== 'string') return value
  const moment = normalizeMoment(value, type)
  if (moment === null)
    issues.push({ ...formatIssue(MOMENT_MESSAGES[type]), source: 'body', pointer: toPointer([name]) })
  return moment
}

/** Converts a schema's output to JSON. Throws for values that JSON cannot represent instead of dropping them. */
function toStoredJson(value: unknown, name: string): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  // Converts -0 to 0, as `JSON.stringify` does.
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  // Stored as a string, because JSON numbers lose precision beyond 2^53.
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map((one: unknown) => (one === undefined ? null : toStoredJson(one, name)))
  if (typeof value !== 'object') throw notStorable(value, name)
  if (hasToJson(value)) return toStoredJson(value.toJSON(), name)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw notStorable(value, name)
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(members.map(([key, inner]): [string, unknown] => [key, toStoredJson(inner, name)]))
}

function notStorable(value: unknown, name: string): TypeError {
  const what = Object.prototype.toString.call(value).slice(8, -1)
  return new TypeError(
    `the schema outputs a value of type ${what} for ${name}, which JSON cannot represent: use objects or arrays`,
  )
}

/** Normalizes a timestamp to UTC with milliseconds. Dates are only validated. Returns null if the text is invalid. */
export function normalizeMoment(text: string, type: 'timestamp' | 'date'): string | null {
  if (type === 'date') return DATE_PATTERN.test(text) && isDay(text) ? text : null
  if (isNormalized(text)) return text
  const match = DATE_TIME_PATTERN.exec(text)
  if (match === null || !isDay(text.slice(0, 10))) return null
  const [, head = '', fraction = '', offset = ''] = match
  // Truncated to milliseconds, not rounded.
  const time = Date.parse(
    `${head.toUpperCase().replace(' ', 'T')}.${`${fraction}000`.slice(0, 3)}${offset.toUpperCase()}`,
  )
  if (Number.isNaN(time)) return null
  const utc = new Date(time).toISOString()
  return DATE_TIME_PATTERN.test(utc) && !utc.startsWith('0000') ? utc : null
}

const NUMBER_PATTERN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const DATE_PATTERN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const DATE_TIME_PATTERN =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,12}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Returns whether a timestamp is already normalized. This check is a fast path, since most timestamps are. */
function isNormalized(text: string): boolean {
  if (text.length !== 24 || !text.endsWith('Z') || text.startsWith('0000')) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}

/** Returns whether a date exists: not all months have 31 days, and there is no year 0. */
function isDay(date: string): boolean {
  const [year, month, day] = [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10))]
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const last = month === 2 ? (isLeap ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year > 0 && day <= last
}

function formatIssue(message: string): ValueIssue {
  return { code: 'INVALID_FORMAT', message }
}
