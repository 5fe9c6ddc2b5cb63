/** Tells what is wrong with a value; null where nothing is. */
export type FieldCheck = (value: unknown) => string | null

/** A schema for the fields of a body, as routes take it. */
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
 * A schema of an object with exactly these fields.
 * @example fields<{ name: string }>({ name: isText(64) })
 */
export function fields<T extends object>(checks: { readonly [Name in keyof T]-?: FieldCheck }): FieldsSchema<T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'sdk',
      validate(value) {
        if (!isPlainObject(value)) return { issues: [{ message: 'is an object', path: [] }] }
        const issues = [
          ...Object.entries<FieldCheck>(checks).flatMap(([name, check]) => toFieldIssues(name, check(value[name]))),
          ...Object.keys(value).flatMap((name) =>
            toFieldIssues(name, Object.hasOwn(checks, name) ? null : 'is not known'),
          ),
        ]
        return issues.length > 0 ? { issues } : { value: value as T }
      },
    },
  }
}

/** A text of so many characters at most, and one at least. */
export const textOf =
  (max: number): FieldCheck =>
  (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= max ? null : `has 1 to ${max} characters`

/** A whole number within these. */
export const isInteger =
  (min: number, max: number): FieldCheck =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? null
      : `is a whole number from ${min} to ${max}`

/** True or false. */
export const isBoolean: FieldCheck = (value) => (typeof value === 'boolean' ? null : 'is true or false')

/** A list of at most so many items, each of which passes the check. */
export const isListOf =
  (check: FieldCheck, max: number): FieldCheck =>
  (value) => {
    if (!Array.isArray(value) || value.length > max) return `is a list of at most ${max}`
    const issue = value.map(check).find((one) => one !== null)
    return issue === undefined ? null : `has an entry that is wrong: each ${issue}`
  }

/** The same check for a number in a query, which is a string, and may be left out. */
export const isNumeral =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    value === undefined || value === '' ? null : check(typeof value === 'string' ? Number(value) : value)

/** A text that may be left out, or be empty. */
export const isMaybeText =
  (max: number): FieldCheck =>
  (value) =>
    value === undefined || (typeof value === 'string' && value.length <= max) ? null : `has at most ${max} characters`

function toFieldIssues(name: string, message: string | null): Issue[] {
  return message === null ? [] : [{ message, path: [name] }]
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
