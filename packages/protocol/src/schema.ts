import { MAX_DETAILS, type DetailSource, type ErrorDetail } from './api-error.ts'
import { isObjectLike } from './envelope.ts'
import { ApiError } from './errors.ts'
import { flattenIssue, describeIssue, type SchemaIssue } from './issue-messages.ts'

/** A schema from any library that implements Standard Schema, such as zod, valibot or arktype. */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The input type of a schema. */
export type SchemaInput<S extends Schema> = NonNullable<S['~standard']['types']>['input']

/** The output type of a schema. */
export type SchemaOutput<S extends Schema> = NonNullable<S['~standard']['types']>['output']

/** The result of a validation: the valid value, or the details of all issues. */
export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly details: ErrorDetail[] }

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** Validates a value against a schema. The result is a promise only if the schema is asynchronous. */
export function validate<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
  source: DetailSource = 'body',
): Validated<Output> | Promise<Validated<Output>> {
  const standard = schema['~standard']
  const subject = { value, source, vendor: standard.vendor }
  const result = standard.validate(value)
  return result instanceof Promise ? result.then((later) => toValidated(later, subject)) : toValidated(result, subject)
}

function toValidated<Output>(result: SchemaResult<Output>, subject: ValidationSubject): Validated<Output> {
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, details: toErrorDetails(result.issues, subject) }
}

/**
 * Creates the 400 error for a failed validation. Its message describes the first issue; its details contain all issues.
 */
export function invalidRequest(details: ErrorDetail[]): ApiError {
  const [first, ...others] = details
  if (first === undefined) return new ApiError('INVALID_REQUEST', 'the request is invalid')
  const path = first.name ?? first.pointer?.slice(1).replaceAll('/', '.')
  // A message from the schema's author may be a complete sentence, which follows a colon.
  const separator = /^[A-Z]/.test(first.message) ? ': ' : ' '
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return new ApiError('INVALID_REQUEST', `${path || (first.source ?? 'request')}${separator}${first.message}${more}`, {
    details,
  })
}

/** Returns the JSON Pointer (RFC 6901) for a path. Keys are truncated to 256 characters. */
export function toPointer(keys: readonly PropertyKey[]): string {
  return keys.map((key) => `/${truncateKey(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Truncates a long key, since clients choose the keys and a response may contain a hundred details. */
function truncateKey(key: PropertyKey): string {
  const name = String(key)
  return name.length > MAX_KEY_LENGTH ? `${name.slice(0, MAX_KEY_LENGTH)}…` : name
}

const MAX_KEY_LENGTH = 256

interface ValidationSubject {
  value: unknown
  source: DetailSource
  vendor: string
}

/** The libraries whose additional issue properties are supported. */
const KNOWN_VENDORS: ReadonlySet<string> = new Set(['zod', 'valibot', 'arktype'])

function toErrorDetails(issues: readonly SchemaIssue[], subject: ValidationSubject): ErrorDetail[] {
  const isKnown = KNOWN_VENDORS.has(subject.vendor)
  const details: ErrorDetail[] = []
  // One issue may result in several details.
  for (const issue of issues.slice(0, MAX_DETAILS)) {
    for (const single of flattenIssue(isKnown ? issue : { message: issue.message, path: issue.path }))
      if (details.length < MAX_DETAILS) details.push(toErrorDetail(single, subject))
  }
  return details
}

function toErrorDetail(
  { issue, keys }: { issue: SchemaIssue; keys: PropertyKey[] },
  { value, source }: ValidationSubject,
): ErrorDetail {
  const found = valueAt(value, keys, keys.length)
  const isMissing = found === undefined && isObjectLike(valueAt(value, keys, keys.length - 1))
  const { code, message, min, max, allowed } = describeIssue(issue, found, isMissing)
  const detail: ErrorDetail =
    source === 'body'
      ? { code, message, source, pointer: toPointer(keys) }
      : {
          code: code === 'UNKNOWN_FIELD' ? 'UNKNOWN_PARAMETER' : code,
          message,
          source,
          name: keys.map(truncateKey).join('.'),
        }
  if (min !== undefined) detail['min'] = min
  if (max !== undefined) detail['max'] = max
  if (allowed !== undefined) detail['allowed'] = allowed
  return detail
}

function valueAt(value: unknown, keys: readonly PropertyKey[], count: number): unknown {
  let inner = value
  for (let index = 0; index < count; index++) {
    const key = keys[index] as PropertyKey
    inner = isObjectLike(inner) && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined
  }
  return inner
}
