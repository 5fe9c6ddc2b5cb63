import { toAuthorization } from '@sdk/protocol'
import type { AuthSource } from './auth-source.ts'

/**
 * Puts the token of whoever is signed in into the headers, unless the caller did. Returns what a 401 calls for:
 * it puts a new token there, once, and says whether there was one.
 */
export async function authorize(headers: Headers, auth: AuthSource | undefined): Promise<() => Promise<boolean>> {
  if (!auth || headers.has('authorization')) return async () => false
  const ownerOf = (): string | undefined => auth.snapshot().user?.id
  const { user, token: held } = auth.snapshot()
  const now = await auth.token()
  // What one user asked for is not sent in the name of who came meanwhile, or comes later.
  const owner = user?.id ?? ownerOf()
  const token = owner === ownerOf() ? now : held
  let canRenew = put(token)
  return async () => {
    // Where another request was refused before us, the new token is there already.
    const fresh = canRenew ? await auth.token({ force: auth.snapshot().token === token }) : token
    canRenew = false
    return fresh !== token && ownerOf() === owner && put(fresh)
  }

  function put(value: string | null): boolean {
    if (value) headers.set('authorization', toAuthorization(value))
    return !!value
  }
}
