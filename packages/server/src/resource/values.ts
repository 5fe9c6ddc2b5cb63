import { MAX_DETAILS, toPointer, validate, type ErrorDetail, type Validated } from '@sdk/protocol'
import { refuseInvalid } from '../http/http-error.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import type { Resource } from '../define/resource.ts'
import { toMoment } from './field-value.ts'
import { OWN_FIELDS } from '../define/resource-fields.ts'
import { toKept } from './stored-value.ts'
import { toMemberValues } from './member-values.ts'
import { toCandidate, type ResourceParts } from './resource-runtime.ts'
import type { Fields, Row } from '../define/store.ts'

/** What a caller sent, and what is not the caller's to choose. */
export interface Sent {
  readonly body: Fields
  /** The fields of the resource in the body. */
  readonly said: Fields
  /** What the definition sets itself. */
  readonly assigned: Fields
  /** The row that changes; null: it is new. */
  readonly row: Row | null
  /** Does a field stay as the row has it? */
  isKept(name: string): boolean
}

const OWN_NAMES: ReadonlySet<string> = new Set(OWN_FIELDS.map(({ name }) => name))

/** The body, if it is an object. */
export function assertObject(body: unknown): Fields {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Fields
  const isMissing = body === undefined
  const message = isMissing ? 'is required' : 'must be an object'
  throw refuseInvalid([{ code: isMissing ? 'REQUIRED' : 'INVALID_TYPE', message, source: 'body', pointer: '' }])
}

/** What a schema says of a candidate, which has only fields of the resource. */
export interface Judged {
  readonly candidate: Fields
  readonly result: Validated<unknown>
}

/** Lets the schema judge a candidate. */
export async function judge(resource: Resource, candidate: Fields): Promise<Judged> {
  const first = validate(resource.definition.schema, candidate, 'body')
  const result = first instanceof Promise ? await first : first
  return { candidate, result: result.ok ? result : await checkAgain(resource, candidate, result) }
}

/** The values to keep, of a candidate that has what was sent and what is fixed; all faults of both are one 400. */
export async function toValues(parts: ResourceParts, sent: Sent, { candidate, result }: Judged): Promise<Fields> {
  const { definition, shape } = parts.resource
  const faults = faultsOf(parts, sent)
  const value = result.ok ? (result.value as Fields) : await salvage(parts, sent, { ...result, candidate })
  const checked = result.ok ? value : undefined
  faults.push(...unknownFields(definition.schema, { sent: sent.said, checked, source: 'body' }))
  const values: Record<string, unknown> = {}
  for (const field of shape.fields) {
    const { name } = field
    values[name] =
      sent.row !== null && sent.isKept(name)
        ? (sent.row[name] ?? null)
        : toKept(Object.hasOwn(value, name) ? value[name] : null, field, faults)
  }
  if (faults.length > 0) throw refuseInvalid(faults)
  return values
}

/**
 * Times come in many forms of RFC 3339, of which a schema may know but one: those that it refuses as they were sent are
 * tried in UTC, to the millisecond.
 */
async function checkAgain(
  { definition, shape }: Resource,
  candidate: Fields,
  first: Refused,
): Promise<Validated<unknown>> {
  const refused = new Set(first.details.map(fieldOf))
  const moments: Record<string, string> = {}
  for (const { name, type } of shape.fields) {
    const value = candidate[name]
    if (type !== 'timestamp' || typeof value !== 'string' || !refused.has(name)) continue
    const moment = toMoment(value, type)
    // A schema that takes no fraction must still take what was read.
    const other = moment === value ? value.replace(/\.000Z$/, 'Z') : moment
    if (other !== null && other !== value) moments[name] = other
  }
  if (Object.keys(moments).length === 0) return first
  return validate(definition.schema, Object.assign(candidate, moments), 'body')
}

type Refused = Extract<Validated<unknown>, { ok: false }>

/**
 * The values of a candidate that the schema refuses. Throws, unless only fields are at fault that this change leaves as
 * they are.
 */
async function salvage(parts: ResourceParts, sent: Sent, refused: Refused & { candidate: Fields }): Promise<Fields> {
  const { definition, shape } = parts.resource
  const faults = [...faultsOf(parts, sent), ...(await blame(parts, sent, refused.details))]
  if (faults.length > 0) throw refuseInvalid(faults)
  const fields = shape.fields.filter(({ name }) => !sent.isKept(name))
  const values = await toMemberValues(definition.schema, fields, refused.candidate)
  if (values === null) throw refuseInvalid(refused.details)
  return values
}

/** The faults that the caller can do something about. */
async function blame(parts: ResourceParts, sent: Sent, details: readonly ErrorDetail[]): Promise<ErrorDetail[]> {
  const { row, assigned } = sent
  if (row === null) {
    const theirs = details.filter((detail) => !Object.hasOwn(assigned, fieldOf(detail) ?? ''))
    const [ours] = details
    if (ours !== undefined && theirs.length === 0)
      throw new TypeError(`assign gives a ${fieldOf(ours)} that ${ours.message}`)
    return theirs
  }
  const isKept = (detail: ErrorDetail): boolean => sent.isKept(fieldOf(detail) ?? '')
  if (!details.some(isKept)) return [...details]
  // A fault that the row had before is not the caller's. One that comes of the new values is.
  const before = await validate(parts.resource.definition.schema, toCandidate(parts, row), 'body')
  const old = new Set(before.ok ? [] : before.details.map(fieldOf))
  return details.filter((detail) => !isKept(detail) || !old.has(fieldOf(detail)))
}

/** The field that a fault is in; undefined: it is in the whole. Names of fields have nothing to escape. */
export function fieldOf({ pointer = '' }: ErrorDetail): string | undefined {
  return pointer.split('/')[1]
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
function faultsOf({ names }: ResourceParts, { body, assigned, row }: Sent): ErrorDetail[] {
  const faults: ErrorDetail[] = []
  for (const name in body) {
    const isFixed = OWN_NAMES.has(name) || Object.hasOwn(assigned, name)
    if (!isFixed && names.has(name)) continue
    const place = { source: 'body' as const, pointer: toPointer([name]) }
    const isOld = isFixed && row !== null && row[name] !== undefined && isSame(body[name], row[name])
    if (!isFixed) faults.push({ code: 'UNKNOWN_FIELD', message: 'is not a known field', ...place })
    else if (!isOld) faults.push({ code: 'READ_ONLY', message: 'cannot be set', ...place })
    if (faults.length >= MAX_DETAILS) return faults
  }
  return faults
}
