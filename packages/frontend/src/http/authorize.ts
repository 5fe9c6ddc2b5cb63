import { toAuthorization } from '@sdk/protocol'
import type { AuthSource } from '../auth/auth-source.ts'

/**
 * Adds the signed-in user's token to the headers, unless the caller set one. Returns a function to call after a 401: it
 * sets a new token, at most once, and returns whether it did.
 */
export async function authorize(headers: Headers, auth: AuthSource | undefined): Promise<() => Promise<boolean>> {
  if (!auth || headers.has('authorization')) return async () => false
  const ownerOf = (): string | undefined => auth.snapshot().user?.id
  const { user, token: current } = auth.snapshot()
  const latest = await auth.token()
  // A request belongs to the user who made it: it never gets the token of a user who signed in later.
  const owner = user?.id ?? ownerOf()
  const token = owner === ownerOf() ? latest : current
  let canRenew = setToken(token)
  return async () => {
    // Another rejected request may already have fetched a new token.
    const fresh = canRenew ? await auth.token({ force: auth.snapshot().token === token }) : token
    canRenew = false
    return fresh !== token && ownerOf() === owner && setToken(fresh)
  }

  function setToken(value: string | null): boolean {
    if (value) headers.set('authorization', toAuthorization(value))
    return !!value
  }
}
