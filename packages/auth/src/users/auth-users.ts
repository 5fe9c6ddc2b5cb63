import type { Page } from '@sdk/protocol'
import type { User } from '@sdk/server'
import type { NoUserFields, UserField, UserFields } from '../user-fields.ts'

/** The TypeScript type of each field type. */
interface FieldValues {
  string: string
  number: number
  boolean: boolean
  date: string
}

type IsRequired<Field extends UserField> = Field extends { readonly required: infer Required extends boolean }
  ? Required
  : HasDefault<Field>

type HasDefault<Field extends UserField> = Field extends { readonly default: string | number | boolean } ? true : false

type FieldValue<Field extends UserField> = FieldValues[Field['type']] | (IsRequired<Field> extends true ? never : null)

/** The names of the fields that are required to create a user. */
type NeededNames<Fields extends UserFields> = {
  [Name in keyof Fields]: IsRequired<Fields[Name]> extends true
    ? HasDefault<Fields[Name]> extends true
      ? never
      : Name
    : never
}[keyof Fields]

/** A user with the declared `userFields`, except those with `returned: false`. Dates are ISO 8601 strings. */
export type AuthUser<Fields extends UserFields = NoUserFields> = User & {
  readonly [Name in keyof Fields as Fields[Name] extends { readonly returned: false } ? never : Name]: FieldValue<
    Fields[Name]
  >
}

/** The fields of a user that the server can change, including `userFields` that users cannot set themselves. */
export type UserChanges<Fields extends UserFields = NoUserFields> = {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly image?: string | null | undefined
  /** Whether the email address is verified. @default false for a new address */
  readonly emailVerified?: boolean | undefined
} & { readonly [Name in keyof Fields]?: FieldValue<Fields[Name]> | undefined }

/** The fields of a new user. */
export type NewUser<Fields extends UserFields = NoUserFields> = UserChanges<Fields> & {
  readonly email: string
  readonly name: string
  /** The password, with 8 to 128 characters. Without it, the user cannot sign in with a password. */
  readonly password?: string | undefined
} & { readonly [Name in NeededNames<Fields>]: FieldValue<Fields[Name]> }

/** The fields that users send to sign up: the built-in fields, and the `userFields` with `input: true`. */
export type SignUpInput<Fields extends UserFields = NoUserFields> = {
  readonly name: string
  readonly email: string
  readonly password: string
} & { readonly [Name in Extract<InputNames<Fields>, NeededNames<Fields>>]: FieldValue<Fields[Name]> } & {
  readonly [Name in Exclude<InputNames<Fields>, NeededNames<Fields>>]?: FieldValue<Fields[Name]> | undefined
}

/** The names of the fields that users can set. */
type InputNames<Fields extends UserFields> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly input: true } ? Name : never
}[keyof Fields]

/** Options that select a page of users. */
export interface UserPageQuery {
  /** The maximum number of users on the page; at most 100. @default 20 */
  readonly limit?: number | undefined
  /** The `nextCursor` or `prevCursor` of another page. @default the first page */
  readonly cursor?: string | null | undefined
}

/** A session that the server created for a user. */
export interface CreatedSession {
  readonly id: string
  /** The token for `Authorization: Bearer`. It is valid until the session expires or is revoked. */
  readonly token: string
  /** The expiry time, as an ISO 8601 string. */
  readonly expiresAt: string
  /** The `Set-Cookie` lines that sign a browser in. */
  readonly cookies: readonly string[]
}

/**
 * Functions that manage users from server code, such as scripts, jobs and your own routes. They do not check
 * permissions. They throw the same errors as the auth routes: an `ApiError` with a code and with `details` about the
 * field. The code is `NOT_FOUND` for an unknown id, and `SERVICE_UNAVAILABLE` if the database is unreachable. Each
 * function makes all of its changes in one transaction, and none returns a password hash.
 */
export interface AuthUsers<Fields extends UserFields = NoUserFields> {
  /** Creates a user. Sends no email and creates no session. */
  create(user: NewUser<Fields>): Promise<AuthUser<Fields>>
  /** Returns a user, or null if the user does not exist. */
  get(id: string): Promise<AuthUser<Fields> | null>
  /** Returns the user with this email address, or null if no user has it. The comparison ignores case. */
  findByEmail(email: string): Promise<AuthUser<Fields> | null>
  /** Returns a page of users, sorted by email address. */
  list(page?: UserPageQuery): Promise<Page<AuthUser<Fields>>>
  /**
   * Changes fields of a user. Changing the email address invalidates password reset links and, unless `emailVerified`
   * is set, marks the new address as unverified.
   */
  update(id: string, fields: UserChanges<Fields>): Promise<AuthUser<Fields>>
  /**
   * Sets a user's password, even if the user had no password before. Ends all of the user's sessions and invalidates
   * password reset links.
   */
  setPassword(id: string, password: string): Promise<void>
  /**
   * Returns the user if the password is correct; otherwise, throws a 401. Failures count toward the password guessing
   * limits of the account and, if `address` is set, of the address. Does not create a session and does not ask for a
   * second factor.
   */
  verifyPassword(
    email: string,
    password: string,
    from?: { readonly address?: string | undefined },
  ): Promise<AuthUser<Fields>>
  /** Creates a session, as a sign-in does. */
  createSession(id: string): Promise<CreatedSession>
  /** Ends all sessions of a user and closes their sockets. */
  revokeSessions(id: string): Promise<void>
  /** Deletes a user and all of the user's sessions and credentials. */
  delete(id: string): Promise<void>
}
