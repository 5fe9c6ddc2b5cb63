import { toPointer, validate, type ErrorDetail } from '@sdk/protocol'
import { refuseInvalid } from '../http/refusal.ts'
import { unknownFields } from '../http/unknown-fields.ts'
import type { Resource } from '../resource.ts'
import { momentFault, toMoment } from './field-value.ts'
import { OWN_FIELDS } from './fields.ts'
import type { Field, Fields, Row } from './store.ts'

/** What a caller sent, and which of it the caller may not set. */
export interface Sent {
  readonly body: Fields
  /** Fields whose values are not the caller's to choose: what they are, or undefined where there is no row yet. */
  readonly fixed: ReadonlyMap<string, unknown>
}

const OWN_NAMES = OWN_FIELDS.map(({ name }) => name)

/** The body, if it is an object. */
export function assertObject(body: unknown): Fields {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Fields
  const isMissing = body === undefined
  const message = isMissing ? 'is required' : 'must be an object'
  throw refuseInvalid([{ code: isMissing ? 'REQUIRED' : 'INVALID_TYPE', message, source: 'body', pointer: '' }])
}

/** What is fixed for a new row: what the store writes, and what the definition assigns. */
export function fixedOfNew(assigned: Fields): ReadonlyMap<string, unknown> {
  return new Map([...OWN_NAMES, ...Object.keys(assigned)].map((name) => [name, undefined]))
}

/** What is fixed of a row that is there. */
export function fixedOf(row: Row, assigned: Fields): ReadonlyMap<string, unknown> {
  return new Map([...OWN_NAMES, ...Object.keys(assigned)].map((name) => [name, row[name]]))
}

/**
 * The values to keep, of a candidate that has what was sent and what is fixed; all faults of both are one 400.
 * `candidate` has only fields of the resource.
 */
export async function toValues(resource: Resource, sent: Sent, candidate: Fields): Promise<Fields> {
  const { schema } = resource.definition
  const faults = faultsOf(resource, sent)
  const normal = withMoments(resource, candidate)
  const result = await validate(schema, normal, 'body')
  if (!result.ok) throw refuseInvalid([...faults, ...result.details])
  faults.push(...unknownFields(schema, { sent: normal, checked: result.value, source: 'body' }))
  const values: Record<string, unknown> = {}
  for (const field of resource.shape.fields) {
    const value = ownValue(result.value as Fields, field.name)
    values[field.name] = toKept(value, field, (message) =>
      faults.push({ code: 'INVALID_FORMAT', message, source: 'body', pointer: toPointer([field.name]) }),
    )
  }
  if (faults.length > 0) throw refuseInvalid(faults)
  return values
}

/** Times come in many forms of RFC 3339, of which a schema may know but one: in UTC, to the millisecond. */
function withMoments({ shape }: Resource, candidate: Fields): Fields {
  const changed: Record<string, unknown> = { ...candidate }
  for (const { name, type } of shape.fields) {
    const value = ownValue(candidate, name)
    if (type === 'timestamp' && typeof value === 'string') changed[name] = toMoment(value, type) ?? value
  }
  return changed
}

/** Only the fields of the resource. */
export function pickFields({ shape }: Resource, from: Fields): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const { name } of shape.fields) if (Object.hasOwn(from, name)) picked[name] = from[name]
  return picked
}

/** A field may be called `constructor`. */
function ownValue(from: Fields, name: string): unknown {
  return Object.hasOwn(from, name) ? from[name] : undefined
}

/** Are two JSON values the same? The order of members is nothing. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame((one as Fields)[key], (other as Fields)[key]))
  )
}

/** Members that nobody knows, and those that the caller wants to be other than they are. */
function faultsOf({ shape }: Resource, { body, fixed }: Sent): ErrorDetail[] {
  const known = new Set(shape.fields.map(({ name }) => name))
  return Object.entries(body).flatMap(([name, value]): ErrorDetail[] => {
    const place = { source: 'body' as const, pointer: toPointer([name]) }
    if (fixed.has(name))
      return value !== undefined && fixed.get(name) !== undefined && isSame(value, fixed.get(name))
        ? []
        : [{ code: 'READ_ONLY', message: 'cannot be set', ...place }]
    return known.has(name) ? [] : [{ code: 'UNKNOWN_FIELD', message: 'is not a known field', ...place }]
  })
}

/** A value as it is kept: what is JSON, with `null` for no value. */
function toKept(value: unknown, { type }: Field, refuse: (message: string) => void): unknown {
  if (value === undefined || value === null) return null
  if (type === 'json') return JSON.parse(JSON.stringify(value) ?? 'null')
  if ((type !== 'timestamp' && type !== 'date') || typeof value !== 'string') return value
  const moment = toMoment(value, type)
  if (moment === null) refuse(momentFault(type).message)
  return moment
}
