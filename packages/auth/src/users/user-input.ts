import { invalidRequest, toPointer } from '@sdk/protocol'
import { type AuthContext, BASE_ERROR_CODES, type BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import { type DBFieldAttribute, getAuthTables, parseInputData } from 'better-auth/db'
import { createFieldSchema, toFieldOptions } from '../better-auth/field-options.ts'

/** The maximum length of an email address. Longer ones cannot be delivered by SMTP and might not fit in an index. */
const MAX_EMAIL_LENGTH = 320

/** The email pattern, which must match the one in the auth routes. A test verifies this. */
const EMAIL = /^(?!\.)(?!.*\.\.)[\w'+\-.]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/

/** Returns whether a value is an email address. */
export function isEmail(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_EMAIL_LENGTH && EMAIL.test(value)
}

const emailSchema = createFieldSchema('[body.email] Invalid email address', (given) =>
  isEmail(given) ? given.toLowerCase() : undefined,
)

/** The built-in fields that the server can set. Better Auth validates them only in its routes. */
const PROFILE_FIELDS: Record<string, DBFieldAttribute> = {
  email: { type: 'string', required: true, validator: { input: emailSchema as never } },
  ...toFieldOptions({
    name: { type: 'string', required: true },
    image: { type: 'string' },
    emailVerified: { type: 'boolean', default: false },
  }),
}

/** Validates the fields of a user and applies defaults, as the auth routes do, but allows fields without `input`. */
export function parseUserFields(
  options: BetterAuthOptions,
  input: object,
  action: 'create' | 'update',
): Record<string, unknown> {
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...declared } = getAuthTables(options)['user']?.fields ?? {}
  const fields = Object.fromEntries(
    // Better Auth would replace the value of a field without `input` with its default.
    Object.entries({ ...declared, ...PROFILE_FIELDS }).map(([name, field]) => [name, { ...field, input: true }]),
  )
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  // Better Auth would ignore unknown fields, so the value of a misspelled field would be lost.
  const unknown = given.filter(([name]) => !Object.hasOwn(fields, name))
  if (unknown.length > 0)
    throw invalidRequest(
      unknown.map(([name]) => ({
        code: 'UNKNOWN_FIELD',
        message: 'is not a known field',
        source: 'body',
        pointer: toPointer([name]),
      })),
    )
  return { ...parseInputData(Object.fromEntries(given), { fields, action }) }
}

/** Throws unless the password is a string of a permitted length, which Better Auth checks only in its routes. */
export function assertPassword(
  { password: { config } }: AuthContext,
  password: unknown,
  minLength: number = config.minPasswordLength,
): asserts password is string {
  if (typeof password !== 'string')
    throw APIError.from('BAD_REQUEST', {
      code: 'VALIDATION_ERROR',
      message: '[body.password] Invalid input: expected string',
    })
  if (password.length < minLength) throw APIError.from('BAD_REQUEST', BASE_ERROR_CODES.PASSWORD_TOO_SHORT)
  if (password.length > config.maxPasswordLength) throw APIError.from('BAD_REQUEST', BASE_ERROR_CODES.PASSWORD_TOO_LONG)
}
