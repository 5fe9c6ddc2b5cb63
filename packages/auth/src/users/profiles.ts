import type { RelationTarget } from '@sdk/server'
import type { NoUserFields, UserFields } from '../user-fields.ts'
import type { AuthUser } from './auth-users.ts'

/** The user fields that profiles can contain. */
export type ProfileField<Fields extends UserFields = NoUserFields> =
  | 'name'
  | 'image'
  | 'email'
  | 'createdAt'
  | ({ [Name in keyof Fields]: Fields[Name] extends { readonly returned: false } ? never : Name }[keyof Fields] &
      string)

/**
 * User profiles, which contain the user's id and the selected fields. Relations and references can use them, but they
 * have no routes.
 */
export type Profiles<Fields extends UserFields, Names extends ProfileField<Fields>> = RelationTarget<{
  item: { id: string } & { [Name in Names]: AuthUser<Fields>[Name] }
  query: unknown
}>
