import { httpError } from '../http/http-error.ts'
import type { User, RequestAuth } from '../auth/identity.ts'

/**
 * Returns the signed-in user of a request or a socket. Throws a 401 error if the caller is not signed in.
 * @example const { id } = await requireUser(ctx)
 */
export async function requireUser(
  { auth }: { readonly auth: RequestAuth | null },
  message = 'sign in first',
): Promise<User> {
  if (auth === null) throw httpError('UNAUTHORIZED', message)
  return auth.getUser()
}
