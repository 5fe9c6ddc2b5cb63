import type { RequestAuth, User } from '@sdk/server'

/** A session and its user as the library reads them. */
export interface AuthRecord {
  readonly session: { readonly id: string; readonly userId: string; readonly expiresAt: Date }
  readonly user: object
}

/** What sits in `ctx.auth`. Many requests share one, so none of it can be changed. */
export function toRequestAuth(
  { session }: AuthRecord,
  { via, getUser }: Pick<RequestAuth, 'via' | 'getUser'>,
): RequestAuth {
  const { id, userId, expiresAt } = session
  return Object.freeze({ session: Object.freeze({ id, userId, expiresAt: expiresAt.toISOString() }), via, getUser })
}

/** The user of a record. Dates become text, as everywhere in the API. */
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
