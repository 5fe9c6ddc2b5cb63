import type { DBFieldAttribute } from 'better-auth/db'
import { isWhole, type UserField, type UserFields } from '../user-fields.ts'

/** Declared fields as the library takes them. */
export function toFieldOptions(fields: UserFields): Record<string, DBFieldAttribute> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, toFieldOption(name, field)]))
}

function toFieldOption(name: string, field: UserField): DBFieldAttribute {
  const { type, input = false, default: value, returned = true, unique = false } = field
  const required = field.required ?? value !== undefined
  return {
    type,
    input,
    required,
    returned,
    unique,
    ...(value !== undefined && { defaultValue: value }),
    // Without one the library writes whatever it was sent: a list into a text, a half into a whole number.
    validator: {
      input: createSchema((given) => (given === null && !required ? null : READ[type](given)), name) as never,
    },
  }
}

/** Undefined: it is not of the type. */
const READ: Record<UserField['type'], (given: unknown) => unknown> = {
  // PostgreSQL has no text with a NUL in it.
  string: (given) => (typeof given === 'string' && !given.includes('\0') ? given : undefined),
  number: (given) => (isWhole(given) ? given : undefined),
  boolean: (given) => (typeof given === 'boolean' ? given : undefined),
  date: readDate,
}

function readDate(given: unknown): Date | undefined {
  if (typeof given !== 'string' || !/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(given)) return undefined
  const date = new Date(given)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** A Standard Schema. */
function createSchema(read: (given: unknown) => unknown, name: string): object {
  const validate = (given: unknown): object => {
    const value = read(given)
    return value === undefined ? { issues: [{ message: `${name} has a value it cannot hold` }] } : { value }
  }
  return { '~standard': { version: 1, vendor: 'sdk', validate } }
}
