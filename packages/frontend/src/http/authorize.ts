import { toAuthorization } from '@sdk/protocol'
import type { AuthSource } from '../auth/auth-source.ts'

/**
 * Puts the token of the signed-in user into the headers, unless the caller set one. Returns what to call after a 401:
 * it puts a new token there, once, and tells whether there was one.
 */
export async function authorize(headers: Headers, auth: AuthSource | undefined): Promise<() => Promise<boolean>> {
  if (!auth || headers.has('authorization')) return async () => false
  const ownerOf = (): string | undefined => auth.snapshot().user?.id
  const { user, token: held } = auth.snapshot()
  const now = await auth.token()
  // A request belongs to the user who made it: it never gets the token of one who signed in later.
  const owner = user?.id ?? ownerOf()
  const token = owner === ownerOf() ? now : held
  let canRenew = put(token)
  return async () => {
    // Another request that was refused may have got the new token already.
    const fresh = canRenew ? await auth.token({ force: auth.snapshot().token === token }) : token
    canRenew = false
    return fresh !== token && ownerOf() === owner && put(fresh)
  }

  function put(value: string | null): boolean {
    if (value) headers.set('authorization', toAuthorization(value))
    return !!value
  }
}
