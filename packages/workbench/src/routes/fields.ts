/** A function that checks a value. It returns the reason why the value is invalid, or null if it is valid. */
export type FieldCheck = (value: unknown) => string | null

/** A Standard Schema for the fields in a request body or query. */
export interface FieldsSchema<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'sdk'
    readonly validate: (value: unknown) => { readonly value: T } | { readonly issues: readonly Issue[] }
    readonly types?: { readonly input: T; readonly output: T }
  }
}

interface Issue {
  readonly message: string
  readonly path: readonly string[]
}

/**
 * Creates a schema for an object with exactly these fields.
 * @example fields<{ name: string }>({ name: textOf(64) })
 */
export function fields<T extends object>(checks: { readonly [Name in keyof T]-?: FieldCheck }): FieldsSchema<T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'sdk',
      validate(value) {
        if (!isPlainObject(value)) return { issues: [{ message: 'must be an object', path: [] }] }
        const issues = [
          ...Object.entries<FieldCheck>(checks).flatMap(([name, check]) => toFieldIssues(name, check(value[name]))),
          ...Object.keys(value).flatMap((name) =>
            toFieldIssues(name, Object.hasOwn(checks, name) ? null : 'is an unknown field'),
          ),
        ]
        return issues.length > 0 ? { issues } : { value: value as T }
      },
    },
  }
}

/** Returns a check that a value is a non-blank string of at most `max` characters. */
export const textOf =
  (max: number): FieldCheck =>
  (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= max
      ? null
      : `must be a non-blank string of at most ${max} characters`

/** Returns a check that a value is an integer from `min` to `max`. */
export const isInteger =
  (min: number, max: number): FieldCheck =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? null
      : `must be an integer from ${min} to ${max}`

/** Checks that a value is a boolean. */
export const isBoolean: FieldCheck = (value) => (typeof value === 'boolean' ? null : 'must be true or false')

/** Returns a check that a value is an array of at most `max` items, each of which passes `check`. */
export const isListOf =
  (check: FieldCheck, max: number): FieldCheck =>
  (value) => {
    if (!Array.isArray(value) || value.length > max) return `must be an array of at most ${max} items`
    const issue = value.map(check).find((one) => one !== null)
    return issue === undefined ? null : `has an invalid item: each ${issue}`
  }

/** Returns a check for an optional number in a query, where numbers are strings. */
export const isNumeral =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    value === undefined || value === '' ? null : check(typeof value === 'string' ? Number(value) : value)

/** Returns a check for an optional string of at most `max` characters, which may be empty. */
export const isMaybeText =
  (max: number): FieldCheck =>
  (value) =>
    value === undefined || (typeof value === 'string' && value.length <= max)
      ? null
      : `must have at most ${max} characters`

function toFieldIssues(name: string, message: string | null): Issue[] {
  return message === null ? [] : [{ message, path: [name] }]
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
