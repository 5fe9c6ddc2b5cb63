import { httpError } from '../http/http-error.ts'
import type { User, RequestAuth } from '../auth/identity.ts'

/**
 * Who is calling a handler, or sits at the other end of a socket; 401 when nobody is signed in.
 * @example const { id } = await requireUser(ctx)
 */
export async function requireUser(
  { auth }: { readonly auth: RequestAuth | null },
  message = 'sign in first',
): Promise<User> {
  if (auth === null) throw httpError('UNAUTHORIZED', message)
  return auth.getUser()
}
