import type { DBFieldAttribute } from 'better-auth/db'
import { isInt32, MAX_INT32, type UserField, type UserFields } from '../user-fields.ts'

/** Converts declared fields to Better Auth options. */
export function toFieldOptions(fields: UserFields): Record<string, DBFieldAttribute> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, toFieldOption(name, field)]))
}

function toFieldOption(name: string, field: UserField): DBFieldAttribute {
  const { type, input = false, default: value, returned = true, unique = false } = field
  const required = field.required ?? value !== undefined
  const parse = (given: unknown): unknown => (given === null && !required ? null : FIELD_PARSERS[type](given))
  return {
    type,
    input,
    required,
    returned,
    unique,
    ...(value !== undefined && { defaultValue: value }),
    // Without a validator, Better Auth would write any input: an array to a text column, or a fraction to an integer
    // column.
    validator: { input: createFieldSchema(`[body.${name}] ${FIELD_RULES[type]}`, parse) as never },
  }
}

/** The parsers by type. Each returns undefined if the value is invalid. */
const FIELD_PARSERS: Record<UserField['type'], (given: unknown) => unknown> = {
  // PostgreSQL cannot store NUL characters in text.
  string: (given) => (typeof given === 'string' && !given.includes('\0') ? given : undefined),
  number: (given) => (isInt32(given) ? given : undefined),
  boolean: (given) => (typeof given === 'boolean' ? given : undefined),
  date: readDate,
}

/** The rule for each type, for error details. */
const FIELD_RULES: Record<UserField['type'], string> = {
  string: 'must be a string without NUL characters',
  number: `must be an integer from ${-MAX_INT32} to ${MAX_INT32}`,
  boolean: 'must be true or false',
  date: 'must be a date, such as 2026-01-31 or 2026-01-31T12:00:00Z',
}

function readDate(given: unknown): Date | undefined {
  if (typeof given !== 'string' || !/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(given)) return undefined
  const date = new Date(given)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Creates the schema for a field. `parse` must return undefined if the value is invalid. */
export function createFieldSchema(message: string, parse: (given: unknown) => unknown): object {
  const validate = (given: unknown): object => {
    const value = parse(given)
    return value === undefined ? { issues: [{ message }] } : { value }
  }
  return { '~standard': { version: 1, vendor: 'sdk', validate } }
}
