import { toAuthorization } from '@sdk/protocol'
import type { AuthSource } from './auth-source.ts'

/**
 * Puts the token of whoever is signed in into the headers, unless the caller did. Returns what a 401 calls for:
 * it puts a new token there, once, and says whether there was one.
 */
export async function authorize(headers: Headers, auth: AuthSource | undefined): Promise<() => Promise<boolean>> {
  if (auth === undefined || headers.has('authorization')) return async () => false
  const ownerOf = (): string | undefined => auth.snapshot().user?.id
  const token = await auth.token()
  const owner = ownerOf()
  let canRenew = put(token)
  return async () => {
    // Where another request was refused before us, the new token is there already.
    const fresh = canRenew ? await auth.token({ force: auth.snapshot().token === token }) : token
    canRenew = false
    // What one user asked for is not sent in the name of the next.
    return fresh !== token && ownerOf() === owner && put(fresh)
  }

  function put(value: string | null): boolean {
    if (value !== null) headers.set('authorization', toAuthorization(value))
    return value !== null
  }
}
