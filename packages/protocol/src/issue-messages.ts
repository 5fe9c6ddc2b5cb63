import type { DetailCode } from './api-error.ts'
import { toFormatMessage } from './format-messages.ts'

/** A Standard Schema issue, with the properties that zod, valibot and arktype add. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
  /** zod and arktype: the code of the issue. */
  readonly code?: string
  /** valibot: the name of the issue, and the kind of check that reported it: `schema` or `validation`. */
  readonly type?: string
  readonly kind?: string
  readonly expected?: string | null
  /** zod: the name of the format. */
  readonly format?: string
  /** arktype: the message without the path. */
  readonly problem?: string
  /** arktype: the issues that this one combines. */
  readonly errors?: readonly SchemaIssue[]
  /** zod: the unknown fields of an object. */
  readonly keys?: readonly PropertyKey[]
  /** zod: the allowed values of the field (`values`) or of a union's discriminator (`options`). */
  readonly values?: readonly unknown[]
  readonly options?: readonly unknown[]
  /** The limit: `minimum` or `maximum` (zod), `requirement` (valibot), `rule` (arktype). */
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly requirement?: unknown
  readonly rule?: unknown
  /** zod: the kind of value that the limit applies to. */
  readonly origin?: string
  /** zod: whether the limit itself is allowed. */
  readonly inclusive?: boolean
  /** arktype: whether the limit itself is excluded. */
  readonly exclusive?: boolean
}

/** The description of an issue, as used in error details. */
export interface IssueDescription {
  code: DetailCode
  message: string
  min?: Limit
  max?: Limit
  allowed?: readonly unknown[]
}

type Limit = number | string

/**
 * Returns the individual issues with their paths: zod reports all unknown fields of an object in one issue, and arktype
 * combines all issues of a value into one.
 */
export function flattenIssue(issue: SchemaIssue): { issue: SchemaIssue; keys: PropertyKey[] }[] {
  if (issue.code === 'intersection' && issue.errors !== undefined) return issue.errors.flatMap(flattenIssue)
  const path: PropertyKey[] = []
  for (const segment of issue.path ?? []) path.push(typeof segment === 'object' ? segment.key : segment)
  return issue.keys?.map((key) => ({ issue, keys: [...path, key] })) ?? [{ issue, keys: path }]
}

/** Describes an issue. The message does not contain the value, which may be a secret. */
export function describeIssue(issue: SchemaIssue, found: unknown, isMissing: boolean): IssueDescription {
  const description: IssueDescription = isMissing
    ? { code: 'REQUIRED', message: 'is required' }
    : (describeUnknownField(issue) ??
      describeBound(issue, found) ??
      describeAllowed(issue) ??
      describeType(issue) ??
      describeFormat(issue))
  return isStockPhrase(issue.message) ? description : { ...description, message: issue.message }
}

/** Returns whether the library wrote the message. Messages from the schema's author are not changed. */
function isStockPhrase(message: string): boolean {
  return /^(Invalid|Too|Unrecognized) |must be /.test(message)
}

function describeUnknownField({ code, expected }: SchemaIssue): IssueDescription | null {
  const isUnknown = code === 'unrecognized_keys' || expected === 'never' || expected === 'removed'
  return isUnknown ? { code: 'UNKNOWN_FIELD', message: 'is not a known field' } : null
}

function describeBound(issue: SchemaIssue, found: unknown): IssueDescription | null {
  const limit = boundLimit(issue)
  const side = boundSide(issue, limit, found)
  if (side === null || limit === null) return null
  const isMin = side === 'min'
  const bound = `${boundPhrases(issue)[side]} ${limit}`
  if (!isSize(issue)) return { code: isMin ? 'TOO_SMALL' : 'TOO_LARGE', message: `must be ${bound}`, [side]: limit }
  const unit = `${typeof found === 'string' ? 'character' : 'item'}${limit === 1 ? '' : 's'}`
  return { code: isMin ? 'TOO_SHORT' : 'TOO_LONG', message: `must have ${bound} ${unit}`, [side]: limit }
}

function describeAllowed(issue: SchemaIssue): IssueDescription | null {
  const allowed = allowedBy(issue)
  if (allowed.length === 0) return null
  if (allowed.length === 2 && allowed.every((value) => typeof value === 'boolean'))
    return { code: 'INVALID_TYPE', message: 'must be a boolean' }
  const list = allowed.map((value) => JSON.stringify(value)).join(', ')
  return { code: 'INVALID_VALUE', message: `must be ${allowed.length > 1 ? 'one of ' : ''}${list}`, allowed }
}

function describeType(issue: SchemaIssue): IssueDescription | null {
  const name = issueName(issue)
  const isType =
    issue.kind === 'schema'
      ? !/^(union|variant|intersect|custom|picklist|enum|literal)$/.test(name)
      : /^(invalid_type|proto|integer|safe_integer)$/.test(name) ||
        issue.code === 'domain' ||
        (name === 'divisor' && issue.rule === 1)
  if (!isType) return null
  const type = (issue.expected ?? name).toLowerCase().replace(/^an? /, '').replace(/^int$/, 'integer')
  return { code: 'INVALID_TYPE', message: `must be ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}` }
}

function describeFormat(issue: SchemaIssue): IssueDescription {
  const { message, problem = message, requirement, format, type, expected } = issue
  const isFormat =
    /^(invalid_format|pattern|url)$/.test(issueName(issue)) ||
    typeof requirement === 'string' ||
    requirement instanceof RegExp
  const stock = problem.replace(/( \((was|SyntaxError:)|:? (but )?received) .*$/is, '')
  return {
    code: isFormat ? 'INVALID_FORMAT' : 'INVALID_VALUE',
    message: toFormatMessage(stock, format ?? type ?? expected ?? ''),
  }
}

function issueName({ code, type }: SchemaIssue): string {
  return code ?? type ?? ''
}

function boundSide(issue: SchemaIssue, limit: Limit | null, found: unknown): 'min' | 'max' | null {
  const name = issueName(issue)
  if (/^(too_small|min|gt_|non_empty|after)/.test(name)) return 'min'
  if (/^(too_big|max|lt_|before)/.test(name)) return 'max'
  if (!/^(length|exactLength)$/.test(name)) return null
  return Number((found as ArrayLike<unknown> | null | undefined)?.length) < Number(limit) ? 'min' : 'max'
}

function boundLimit(issue: SchemaIssue): Limit | null {
  if (issueName(issue) === 'non_empty') return 1
  const limit = issue.minimum ?? issue.maximum ?? issue.requirement ?? issue.rule
  if (limit instanceof Date || issue.origin === 'date') return new Date(limit as Date).toJSON()
  if (typeof limit === 'bigint') return String(limit)
  return typeof limit === 'number' || typeof limit === 'string' ? limit : null
}

function boundPhrases(issue: SchemaIssue): { min: string; max: string } {
  const isExclusive = issue.inclusive === false || issue.exclusive === true || /^[gl]t_/.test(issueName(issue))
  return isExclusive ? { min: 'more than', max: 'less than' } : { min: 'at least', max: 'at most' }
}

/** Returns whether the bound applies to the value's length instead of the value itself. */
function isSize(issue: SchemaIssue): boolean {
  return issue.origin === undefined
    ? !/value$|^(min|max|after|before)$/.test(issueName(issue))
    : !/^(number|int|bigint|date)$/.test(issue.origin)
}

/**
 * Returns the allowed values. zod lists them; the other libraries only include them in `expected`, as in `("a" | "b")`
 * or `"a" or "b"`.
 */
function allowedBy({ kind, values, options, errors, expected }: SchemaIssue): readonly unknown[] {
  const listed = values ?? options ?? (kind === 'validation' ? [] : undefined)
  if (listed !== undefined) return listed.map((value) => (typeof value === 'bigint' ? String(value) : value))
  const written =
    errors?.map((unit) => unit.expected) ?? expected?.replaceAll(/^\(|\)$/g, '').split(/ \| |, | or /) ?? []
  try {
    return written.map((value) => JSON.parse(String(value)) as unknown)
  } catch {
    return [] // `expected` does not list values
  }
}
