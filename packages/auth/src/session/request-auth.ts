import type { RequestAuth, User } from '@sdk/server'

/** A session and its user as the library reads them. */
export interface AuthRecord {
  readonly session: { readonly id: string; readonly userId: string; readonly expiresAt: Date }
  readonly user: object
}

/** How the caller proved who they are, and how to know of them later. */
export interface Proof {
  readonly via: RequestAuth['via']
  /** The same session read again, by whoever still holds this one; null where it is over. */
  again(known: RequestAuth): Promise<RequestAuth | null>
}

/**
 * What sits in `ctx.auth`. Many requests share one, so none of it can be changed. A socket holds it for hours:
 * `getUser()` tells of the user as they are then.
 */
export function toRequestAuth({ session, user: record }: AuthRecord, { via, again }: Proof): RequestAuth {
  const user = toUser(record)
  const { id, userId, expiresAt } = session
  const auth: RequestAuth = {
    session: Object.freeze({ id, userId, expiresAt: expiresAt.toISOString() }),
    via,
    async getUser() {
      const now = await again(auth)
      return now === null || now === auth ? user : now.getUser()
    },
  }
  return Object.freeze(auth)
}

/** Dates become text, as everywhere in the API. */
function toUser(record: object): User {
  const user: Record<string, unknown> = { image: null, ...record }
  for (const [name, value] of Object.entries(user))
    user[name] = value instanceof Date ? value.toISOString() : freeze(value)
  return Object.freeze(user) as User
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}
