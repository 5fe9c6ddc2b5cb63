import type { RequestAuth } from '../auth/identity.ts'
import { httpError } from '../http/http-error.ts'

/**
 * Throws a 403 error if the caller is an OAuth client to which the user has not granted this scope, and a 401 error if
 * the caller is not signed in. Scopes limit only OAuth clients: a user's own requests pass.
 * @example requireScope(ctx, 'tasks:write')
 */
export function requireScope({ auth }: { readonly auth: RequestAuth | null }, scope: string): void {
  if (auth === null) throw httpError('UNAUTHORIZED', 'sign in first')
  if (auth.via !== 'oauth' || auth.scopes?.includes(scope) === true) return
  const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` }
  throw httpError('INSUFFICIENT_SCOPE', `the access token needs the scope ${scope}`, { headers })
}
