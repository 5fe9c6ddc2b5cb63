import { hasToJson } from '../log/log-value.ts'
import { toPointer, type ErrorDetail } from '@sdk/protocol'
import { momentIssue, normalizeMoment } from './field-value.ts'
import type { Field } from '../define/store.ts'

/** A value as it is kept: what is JSON, with `null` for no value. A time that is none is one more fault. */
export function toStoredValue(value: unknown, { name, type }: Field, issues: ErrorDetail[]): unknown {
  if (value === undefined || value === null) return null
  if (type === 'json') return toStoredJson(value, name)
  if ((type !== 'timestamp' && type !== 'date') || typeof value !== 'string') return value
  const moment = normalizeMoment(value, type)
  if (moment === null) issues.push({ ...momentIssue(type), source: 'body', pointer: toPointer([name]) })
  return moment
}

/** What a schema made, as JSON. What JSON has no word for would be lost without a word: the schema must not make it. */
function toStoredJson(value: unknown, name: string): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  // JSON has no -0.
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  // Integers beyond 2^53 travel as texts.
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
  return new TypeError(`the schema makes a ${what} of ${name}, which JSON cannot tell: let it make objects or lists`)
}
