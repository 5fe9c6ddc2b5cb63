import type { RequestAuth, User } from '@sdk/server'

/** A session and its user as the library reads them. */
export interface AuthRecord {
  readonly session: { readonly id: string; readonly userId: string; readonly expiresAt: Date }
  readonly user: object
}

/** What sits in `ctx.auth`; null where nothing was found. */
export function toRequestAuth(record: AuthRecord | null, via: RequestAuth['via']): RequestAuth | null {
  if (record === null) return null
  const { id, userId, expiresAt } = record.session
  const user = toUser(record.user)
  return {
    session: { id, userId, expiresAt: expiresAt.toISOString() },
    via,
    getUser: () => Promise.resolve(user),
  }
}

/** Dates become text, as everywhere in the API. */
function toUser(record: object): User {
  const user: Record<string, unknown> = { image: null, ...record }
  for (const [name, value] of Object.entries(user)) if (value instanceof Date) user[name] = value.toISOString()
  return user as User
}
