import type { RequestAuth, User } from '@sdk/server'

/** A session and its user, as returned by Better Auth. */
export interface AuthRecord {
  readonly session: { readonly id: string; readonly userId: string; readonly expiresAt: Date }
  readonly user: object
}

/** Creates the value of `ctx.auth`. It is frozen because requests share it. */
export function toRequestAuth(
  { session }: AuthRecord,
  { via, getUser }: Pick<RequestAuth, 'via' | 'getUser'>,
): RequestAuth {
  const { id, userId, expiresAt } = session
  return Object.freeze({ session: Object.freeze({ id, userId, expiresAt: expiresAt.toISOString() }), via, getUser })
}

/** Returns the user in a record. Dates become ISO strings, as everywhere in the API. */
export function toUser({ user: record }: Pick<AuthRecord, 'user'>): User {
  const user: Record<string, unknown> = { image: null, ...record }
  for (const [name, value] of Object.entries(user))
    user[name] = value instanceof Date ? value.toISOString() : deepFreeze(value)
  return Object.freeze(user) as User
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) deepFreeze(member)
  return Object.freeze(value)
}
