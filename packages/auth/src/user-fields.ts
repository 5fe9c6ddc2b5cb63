/** An additional user field. */
export interface UserField {
  /** The type of the values. Numbers are integers, and dates are ISO 8601 strings in requests. */
  readonly type: 'string' | 'number' | 'boolean' | 'date'
  /** Whether users can set the field, at sign-up and later. @default false */
  readonly input?: boolean | undefined
  /** The value to use if none is provided. */
  readonly default?: string | number | boolean | undefined
  /** Whether every user must have a value. @default true if `default` is set */
  readonly required?: boolean | undefined
  /** Whether the value must be unique among users. @default false */
  readonly unique?: boolean | undefined
  /** Whether the user object includes the field, in code and in responses. @default true */
  readonly returned?: boolean | undefined
}

/** Additional user fields, by name. */
export type UserFields = Readonly<Record<string, UserField>>

/** The type of `userFields` if none are declared. */
export type NoUserFields = { readonly [Name in never]: UserField }

/** The names of the built-in user fields, and of the body members that the auth routes read. */
const RESERVED_FIELDS = new Set(
  'id name email emailVerified image createdAt updatedAt password token callbackURL rememberMe'.split(' '),
)

/** Validates declared fields. Throws if a field could never work, or would let users write to a built-in field. */
export function assertUserFields(fields: UserFields): UserFields {
  for (const [name, field] of Object.entries(fields)) {
    const problem = findProblem(name, field)
    if (problem !== null) throw new TypeError(`createAuth: userFields.${name} ${problem}`)
  }
  return fields
}

function findProblem(name: string, field: UserField): string | null {
  if (!/^[a-z][A-Za-z0-9]{0,59}$/.test(name)) return 'must have a name in camelCase such as favoriteColor'
  if (RESERVED_FIELDS.has(name)) return 'has a reserved name: choose another name'
  if (!(['string', 'number', 'boolean', 'date'] as unknown[]).includes(field.type))
    return `must have the type 'string', 'number', 'boolean' or 'date', got ${JSON.stringify(field.type)}`
  return findDefaultProblem(field)
}

function findDefaultProblem({ type, default: value, required, input, unique }: UserField): string | null {
  if (value === undefined) {
    const isLost = required === true && input !== true
    return isLost ? 'is required, but has no default and cannot be set by users: no user could sign up' : null
  }
  if (unique === true) return 'cannot be unique, because all users would get the same default'
  const fits = typeof value === type && (type !== 'number' || isInt32(value))
  return fits ? null : `has the default ${JSON.stringify(value)}, which is not a valid ${type}`
}

/** The largest number that an integer column can store. */
export const MAX_INT32: number = 2 ** 31 - 1

/** Returns whether an integer column can store the value. */
export function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= MAX_INT32
}
