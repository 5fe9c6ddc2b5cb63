import { MAX_DETAILS, toPointer, validate, type ErrorDetail, type Schema, type Validated } from '@sdk/protocol'
import { validationError } from '../http/http-error.ts'
import { isSchema } from '../schema/assert-schemas.ts'
import { isRecord } from '../schema/json-schema.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import type { Resource } from '../define/resource.ts'
import { keyNamesOf } from '../define/resource-key.ts'
import { normalizeMoment, toStoredValue } from './field-value.ts'
import { SYSTEM_FIELDS } from '../define/resource-fields.ts'
import { toCandidate, type ResourceRuntime } from './resource-runtime.ts'
import type { Field, Fields, Row } from '../define/store.ts'

/** The values sent by a caller, and the values that the caller cannot set. */
export interface SubmittedValues {
  readonly body: Fields
  /** The fields of the body that belong to the resource. */
  readonly input: Fields
  /** The fields set by `assign`. */
  readonly assigned: Fields
  /** The current row, or null for a new row. */
  readonly row: Row | null
  /** Returns whether a field keeps the row's current value. */
  isUnchanged(name: string): boolean
}

const SYSTEM_FIELD_NAMES: ReadonlySet<string> = new Set(SYSTEM_FIELDS.map(({ name }) => name))

/** Returns the body. Throws 400 if it is not an object. */
export function assertObject(body: unknown): Fields {
  if (isRecord(body)) return body
  const isMissing = body === undefined
  const message = isMissing ? 'is required' : 'must be an object'
  throw validationError([{ code: isMissing ? 'REQUIRED' : 'INVALID_TYPE', message, source: 'body', pointer: '' }])
}

/** A candidate and its validation result. The candidate contains only fields of the resource. */
export interface ValidatedCandidate {
  readonly candidate: Fields
  readonly result: Validated<unknown>
}

/** Validates a candidate against the schema. */
export async function validateCandidate(resource: Resource, candidate: Fields): Promise<ValidatedCandidate> {
  const first = validate(resource.definition.schema, candidate, 'body')
  const result = first instanceof Promise ? await first : first
  return { candidate, result: result.ok ? result : await validateNormalizedTimes(resource, candidate, result) }
}

/** Returns the values to store for a validated candidate. Throws a single 400 error that lists all issues. */
export async function toValues(
  runtime: ResourceRuntime,
  sent: SubmittedValues,
  { candidate, result }: ValidatedCandidate,
): Promise<Fields> {
  const { definition, shape } = runtime.resource
  const issues = findFieldIssues(runtime, sent)
  const value = result.ok ? (result.value as Fields) : await recoverValues(runtime, sent, { ...result, candidate })
  const checked = result.ok ? value : undefined
  issues.push(...unknownFields(definition.schema, { sent: sent.input, checked, source: 'body' }))
  const values: Record<string, unknown> = {}
  for (const field of shape.fields) {
    const { name } = field
    values[name] =
      sent.row !== null && sent.isUnchanged(name)
        ? (sent.row[name] ?? null)
        : toStoredValue(Object.hasOwn(value, name) ? value[name] : null, field, issues)
  }
  if (issues.length > 0) throw validationError(issues)
  return values
}

/**
 * Validates again, with rejected timestamps normalized to UTC and milliseconds: RFC 3339 allows many forms, and a
 * schema may accept only one of them.
 */
async function validateNormalizedTimes(
  { definition, shape }: Resource,
  candidate: Fields,
  first: InvalidResult,
): Promise<Validated<unknown>> {
  const refused = new Set(first.details.map(issueFieldOf))
  const moments: Record<string, string> = {}
  for (const { name, type } of shape.fields) {
    const value = candidate[name]
    if (type !== 'timestamp' || typeof value !== 'string' || !refused.has(name)) continue
    const moment = normalizeMoment(value, type)
    // A schema that rejects fractional seconds must still accept a timestamp that was read from the API.
    const other = moment === value ? value.replace(/\.000Z$/, 'Z') : moment
    if (other !== null && other !== value) moments[name] = other
  }
  if (Object.keys(moments).length === 0) return first
  return validate(definition.schema, Object.assign(candidate, moments), 'body')
}

type InvalidResult = Extract<Validated<unknown>, { ok: false }>

/**
 * Returns the values of a candidate that failed validation. Throws unless all issues are in fields that this change
 * does not touch.
 */
async function recoverValues(
  runtime: ResourceRuntime,
  sent: SubmittedValues,
  refused: InvalidResult & { candidate: Fields },
): Promise<Fields> {
  const { definition, shape } = runtime.resource
  const issues = [...findFieldIssues(runtime, sent), ...(await findInputIssues(runtime, sent, refused.details))]
  if (issues.length > 0) throw validationError(issues)
  const fields = shape.fields.filter(({ name }) => !sent.isUnchanged(name))
  const values = await toMemberValues(definition.schema, fields, refused.candidate)
  if (values === null) throw validationError(refused.details)
  return values
}

/**
 * Validates some fields individually, for an object that the schema rejects because of other fields. Returns null if a
 * required field is missing. If the schema library does not expose member schemas, the fields are used as sent.
 */
export async function toMemberValues(
  schema: Schema,
  fields: readonly Field[],
  candidate: Fields,
): Promise<Fields | null> {
  const made: Record<string, unknown> = {}
  for (const field of fields) {
    const { name } = field
    if (!Object.hasOwn(candidate, name)) {
      if (field.default === undefined && !field.isNullable) return null
      made[name] = field.default ?? null
      continue
    }
    const member = findMemberSchema(schema, name)
    const result = member === null ? null : await validate(member, candidate[name], 'body')
    if (result?.ok === false)
      throw validationError(result.details.map((detail) => ({ ...detail, pointer: `/${name}${detail.pointer ?? ''}` })))
    made[name] = result === null ? candidate[name] : result.value
  }
  return made
}

/** The zod and arktype APIs for accessing the schemas of an object's members. */
interface MemberSchemas {
  readonly shape?: Readonly<Record<string, unknown>>
  get?(name: string): unknown
}

function findMemberSchema(schema: Schema, name: string): Schema | null {
  const members = schema as MemberSchemas
  const found = schema['~standard'].vendor === 'arktype' ? members.get?.(name) : members.shape?.[name]
  return isSchema(found) ? found : null
}

/** Returns the issues that the caller can fix. */
async function findInputIssues(
  runtime: ResourceRuntime,
  sent: SubmittedValues,
  details: readonly ErrorDetail[],
): Promise<ErrorDetail[]> {
  const { row, assigned } = sent
  if (row === null) {
    const theirs = details.filter((detail) => !Object.hasOwn(assigned, issueFieldOf(detail) ?? ''))
    const [ours] = details
    if (ours !== undefined && theirs.length === 0)
      throw new TypeError(`assign returned an invalid value: ${issueFieldOf(ours)} ${ours.message}`)
    return theirs
  }
  const isKept = (detail: ErrorDetail): boolean => sent.isUnchanged(issueFieldOf(detail) ?? '')
  if (!details.some(isKept)) return [...details]
  // Report only issues caused by the new values, not those that the row already had.
  const before = await validate(runtime.resource.definition.schema, toCandidate(runtime, row), 'body')
  const old = new Set(before.ok ? [] : before.details.map(issueFieldOf))
  return details.filter((detail) => !isKept(detail) || !old.has(issueFieldOf(detail)))
}

/**
 * Returns the field that an issue concerns, or undefined if it concerns the entire body. Field names are in
 * camelCase, so they need no unescaping.
 */
export function issueFieldOf({ pointer = '' }: ErrorDetail): string | undefined {
  return pointer.split('/')[1]
}

/** Returns whether two JSON values are equal. The order of members does not matter. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson((one as Fields)[key], (other as Fields)[key]))
  )
}

/** Returns issues for unknown members and for changes to read-only fields. */
function findFieldIssues(
  { fieldNames, resource }: ResourceRuntime,
  { body, assigned, row }: SubmittedValues,
): ErrorDetail[] {
  const issues: ErrorDetail[] = []
  for (const name in body) {
    const isFixed = SYSTEM_FIELD_NAMES.has(name) || Object.hasOwn(assigned, name)
    if (!isFixed && fieldNames.has(name)) continue
    const place = { source: 'body' as const, pointer: toPointer([name]) }
    // The body may repeat a key field from the path, even if `assign` sets that field.
    const isKey = fieldNames.has(name) && keyNamesOf(resource.definition).includes(name)
    const current = row === null && isKey ? assigned[name] : row?.[name]
    const isUnchangedValue = isFixed && current !== undefined && isSameJson(body[name], current)
    if (!isFixed) issues.push({ code: 'UNKNOWN_FIELD', message: 'is not a known field', ...place })
    else if (!isUnchangedValue) issues.push({ code: 'READ_ONLY', message: 'cannot be set', ...place })
    if (issues.length >= MAX_DETAILS) return issues
  }
  return issues
}
