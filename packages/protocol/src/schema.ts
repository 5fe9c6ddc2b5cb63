import { ApiError, MAX_DETAILS, type DetailCode, type DetailSource, type ErrorDetail } from './errors.ts'

/** A schema of any library that speaks Standard Schema: zod, valibot, arktype and many more. */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** What a caller may pass to a schema. */
export type SchemaInput<S extends Schema> = NonNullable<S['~standard']['types']>['input']

/** What a schema makes of it. */
export type SchemaOutput<S extends Schema> = NonNullable<S['~standard']['types']>['output']

/** A value that passed, or all its faults. */
export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly details: ErrorDetail[] }

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Checks a value. The answer is a promise only where the schema is asynchronous, so that the common way costs none. */
export function validate<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
  source: DetailSource = 'body',
): Validated<Output> | Promise<Validated<Output>> {
  const result = schema['~standard'].validate(value)
  const finish = (done: SchemaResult<Output>): Validated<Output> =>
    done.issues === undefined
      ? { ok: true, value: done.value }
      : { ok: false, details: toDetails(done.issues, value, source) }
  return result instanceof Promise ? result.then(finish) : finish(result)
}

/** The 400 for faults that were found: its message speaks of the first, its details of all. */
export function invalidRequest(details: ErrorDetail[]): ApiError {
  const [first] = details
  if (first === undefined) return new ApiError('INVALID_REQUEST', 'the request is invalid')
  const place = first.name ?? first.pointer?.slice(1).replaceAll('/', '.') ?? ''
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  return new ApiError('INVALID_REQUEST', `${place || (first.source ?? 'request')} ${first.message}${more}`, { details })
}

/** A JSON Pointer (RFC 6901) to the place at these keys. */
export function toPointer(keys: readonly PropertyKey[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function toDetails(issues: readonly SchemaIssue[], value: unknown, source: DetailSource): ErrorDetail[] {
  return issues
    .slice(0, MAX_DETAILS)
    .flatMap((issue) => placesOf(issue).map((keys) => toDetail(issue, keys, { value, source })))
    .slice(0, MAX_DETAILS)
}

/** zod reports all unknown keys of an object as one issue of the object. */
function placesOf(issue: SchemaIssue): PropertyKey[][] {
  const path = (issue.path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment))
  const keys = hint(issue, 'keys')
  return Array.isArray(keys) ? keys.map((key: PropertyKey) => [...path, key]) : [path]
}

function toDetail(
  issue: SchemaIssue,
  keys: PropertyKey[],
  input: { value: unknown; source: DetailSource },
): ErrorDetail {
  const { value, source } = input
  const code = isMissing(value, keys) ? 'REQUIRED' : codeOf(issue, typeof at(value, keys))
  const limit = limitOf(issue, code)
  return {
    code,
    message: messageOf(code, limit, at(value, keys)) ?? issue.message,
    source,
    ...(source === 'body' ? { pointer: toPointer(keys) } : { name: keys.map(String).join('.') }),
    ...(limit === undefined ? {} : { [isUpper(code) ? 'max' : 'min']: limit }),
    ...(code === 'INVALID_VALUE' && Array.isArray(hint(issue, 'values')) ? { allowed: hint(issue, 'values') } : {}),
  }
}

/** What the well-known libraries call a fault, beside the message that the standard asks for. */
const CODES: Readonly<Record<string, DetailCode>> = {
  required: 'REQUIRED',
  invalid_type: 'INVALID_TYPE',
  domain: 'INVALID_TYPE',
  proto: 'INVALID_TYPE',
  invalid_format: 'INVALID_FORMAT',
  pattern: 'INVALID_FORMAT',
  regex: 'INVALID_FORMAT',
  unrecognized_keys: 'UNKNOWN_FIELD',
  too_small: 'TOO_SMALL',
  too_big: 'TOO_LARGE',
  min: 'TOO_SMALL',
  max: 'TOO_LARGE',
  min_value: 'TOO_SMALL',
  max_value: 'TOO_LARGE',
  minLength: 'TOO_SHORT',
  maxLength: 'TOO_LONG',
  min_length: 'TOO_SHORT',
  max_length: 'TOO_LONG',
  non_empty: 'TOO_SHORT',
}

function codeOf(issue: SchemaIssue, type: string): DetailCode {
  const code = CODES[String(hint(issue, 'code') ?? hint(issue, 'type'))]
  if (code === undefined) return hint(issue, 'kind') === 'schema' ? valibotSchemaCode(issue) : 'INVALID_VALUE'
  // zod has one word for short texts and small numbers.
  if (type === 'number' || type === 'bigint' || (code !== 'TOO_SMALL' && code !== 'TOO_LARGE')) return code
  return code === 'TOO_SMALL' ? 'TOO_SHORT' : 'TOO_LONG'
}

function valibotSchemaCode(issue: SchemaIssue): DetailCode {
  const type = hint(issue, 'type')
  if (type === 'strict_object') return 'UNKNOWN_FIELD'
  return type === 'picklist' || type === 'literal' || type === 'enum' ? 'INVALID_VALUE' : 'INVALID_TYPE'
}

function limitOf(issue: SchemaIssue, code: DetailCode): number | undefined {
  if (!isUpper(code) && code !== 'TOO_SMALL' && code !== 'TOO_SHORT') return undefined
  const limit = hint(issue, isUpper(code) ? 'maximum' : 'minimum') ?? hint(issue, 'requirement') ?? hint(issue, 'rule')
  return typeof limit === 'number' ? limit : undefined
}

function messageOf(code: DetailCode, limit: number | undefined, value: unknown): string | undefined {
  if (code === 'REQUIRED') return 'is required'
  if (code === 'UNKNOWN_FIELD') return 'is not a known field'
  if (limit === undefined) return undefined
  const bound = isUpper(code) ? 'at most' : 'at least'
  const unit = Array.isArray(value) ? 'item' : 'character'
  return code === 'TOO_LONG' || code === 'TOO_SHORT'
    ? `must have ${bound} ${limit} ${unit}${limit === 1 ? '' : 's'}`
    : `must be ${bound} ${limit}`
}

function isUpper(code: DetailCode): boolean {
  return code === 'TOO_LARGE' || code === 'TOO_LONG'
}

function isMissing(value: unknown, keys: readonly PropertyKey[]): boolean {
  const parent = at(value, keys.slice(0, -1))
  return keys.length > 0 && typeof parent === 'object' && parent !== null && at(value, keys) === undefined
}

function at(value: unknown, keys: readonly PropertyKey[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? hint(inner, key) : undefined,
    value,
  )
}

function hint(from: object, name: PropertyKey): unknown {
  return Reflect.get(from, name)
}
